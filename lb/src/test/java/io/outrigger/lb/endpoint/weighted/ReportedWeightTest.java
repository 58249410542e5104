package io.outrigger.lb.endpoint.weighted;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.cluster.BalancingPolicy.WeightedRoundRobin;
import io.outrigger.lb.BackendMetrics;
import io.outrigger.lb.endpoint.weighted.ReportedWeight.CurrentWeight;
import io.outrigger.lb.endpoint.weighted.ReportedWeight.Status;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReportedWeightTest {
  private static final Duration BLACKOUT = Duration.ofSeconds(10);
  private static final Duration EXPIRATION = Duration.ofSeconds(180);

  private final ReportedWeight weight = new ReportedWeight();
  private WeightedRoundRobin settings = settings(BLACKOUT, 1.0);
  private long now;

  @Conformance("A58-02")
  @ParameterizedTest(name = "app {0}, cpu {1}, qps {2}, eps {3}, penalty {4} -> {5}")
  @CsvSource({
    "0,   0.5, 100, 0,   1,   200",
    "0.2, 0.5, 100, 0,   1,   500",
    "0.2, 0,   100, 0,   1,   500",
    "0,   0.5, 100, 50,  1,   100",
    "0,   0.5, 100, 50,  2,   66.666",
    "0,   0.5, 100, 50,  0,   200",
    "1.5, 0.5, 90,  0,   1,   60",
    "0,   0,   100, 0,   1,   0",
    "0,   0,   100, 50,  1,   0",
    "0.5, 0.5, 0,   0,   1,   0",
    "0.5, 0.5, 0,   50,  1,   0",
  })
  void theWeightIsRateOverUtilization(
      double app, double cpu, double qps, double eps, double penalty, double expected) {
    settings = settings(Duration.ZERO, penalty);

    report(new BackendMetrics(app, cpu, 0, qps, eps, Map.of(), Map.of()));

    assertThat(current().weight()).isCloseTo(expected, org.assertj.core.data.Offset.offset(0.001));
    assertThat(current().status()).isEqualTo(expected > 0 ? Status.USABLE : Status.NOT_YET_USABLE);
  }

  /** A114: the largest of the listed metrics that is positive and a number; else as without. */
  @Conformance("A58-02")
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "named_metrics.queue,                       0.5",
    "named_metrics.queue utilization.disk,      0.8",
    "utilization.disk named_metrics.queue,      0.8",
    "utilization.disk mem_utilization,          0.8",
    "utilization.disk,                          0.8",
    "mem_utilization,                           0.3",
    "cpu_utilization,                           0.4",
    "application_utilization,                   0.2",
    "named_metrics.dotted.name,                 0.6",
    "named_metrics.nan mem_utilization,         0.3",
    "named_metrics.nan,                         0.2",
    "named_metrics.negative,                    0.2",
    "named_metrics.absent,                      0.2",
    "named_metrics,                             0.2",
    "queue,                                     0.2",
    "rps_fractional,                            0.2",
  })
  void metricsMayBeNamed(String names, double utilization) {
    var report =
        new BackendMetrics(
            0.2,
            0.4,
            0.3,
            100,
            0,
            Map.of("disk", 0.8),
            Map.of("queue", 0.5, "dotted.name", 0.6, "nan", Double.NaN, "negative", -1.0));

    assertThat(ReportedWeight.utilization(report, Arrays.asList(names.split(" ", -1))))
        .isEqualTo(utilization);
  }

  @ParameterizedTest(name = "app {0}, cpu {1}, qps {2}, eps {3}")
  @CsvSource({
    "NaN,       NaN,  1,         0",
    "0,         NaN,  1,         0",
    "0,         -1,   1,         0",
    "0,         0.5,  NaN,       0",
    "0,         0.5,  -1,        0",
    "0,         0.5,  Infinity,  0",
    "0,         0.5,  2e9,       0",
    "0,         2e9,  1,         0",
    "Infinity,  0.5,  1,         0",
    "0,         0.5,  1,         NaN",
    "0,         0.5,  1,         -1",
    "0,         0.5,  1,         2e9",
    "0,         5e-324, 1e9,     0",
    "0,         0.5,  5e-324,    1e9",
  })
  void liesAreRefusedAndChangeNothing(double app, double cpu, double qps, double eps) {
    settings = settings(Duration.ZERO, 1);
    report(100);

    report(new BackendMetrics(app, cpu, 0, qps, eps, Map.of(), Map.of()));

    assertThat(current()).isEqualTo(new CurrentWeight(100, Status.USABLE));
  }

  @Conformance("A58-01")
  @Test
  void aWeightCountsAfterTheBlackout() {
    assertThat(current().status()).isEqualTo(Status.NOT_YET_USABLE);
    report(100);
    now += BLACKOUT.toNanos() - 1;
    report(200);
    assertThat(current()).isEqualTo(new CurrentWeight(0, Status.NOT_YET_USABLE));

    now += 1;

    assertThat(current()).isEqualTo(new CurrentWeight(200, Status.USABLE));
  }

  @Conformance("A58-04")
  @Test
  void aWeightExpiresAndTheBlackoutBeginsAgain() {
    report(100);
    now += EXPIRATION.toNanos() - 1;
    assertThat(current()).isEqualTo(new CurrentWeight(100, Status.USABLE));

    now += 1;
    assertThat(current()).isEqualTo(new CurrentWeight(0, Status.STALE));
    assertThat(current()).isEqualTo(new CurrentWeight(0, Status.STALE));

    report(300);
    assertThat(current()).isEqualTo(new CurrentWeight(0, Status.NOT_YET_USABLE));
    now += BLACKOUT.toNanos();
    assertThat(current()).isEqualTo(new CurrentWeight(300, Status.USABLE));
  }

  @Conformance("A58-04")
  @Test
  void aNewConnectionBeginsTheBlackoutAgain() {
    report(100);
    now += BLACKOUT.toNanos();
    assertThat(current().status()).isEqualTo(Status.USABLE);

    weight.onReady();
    assertThat(current().status()).isEqualTo(Status.NOT_YET_USABLE);
    now += BLACKOUT.toNanos();
    assertThat(current().status()).as("no report since").isEqualTo(Status.NOT_YET_USABLE);

    report(200);
    now += BLACKOUT.toNanos();
    assertThat(current()).isEqualTo(new CurrentWeight(200, Status.USABLE));
  }

  @Conformance("A58-04")
  @Test
  void withoutABlackoutAWeightOutlivesTheConnection() {
    settings = settings(Duration.ZERO, 1);
    report(100);

    weight.onReady();

    assertThat(current()).isEqualTo(new CurrentWeight(100, Status.USABLE));
  }

  @Test
  void aWeightMayBeAsLargeAsCanBeBelieved() {
    settings = settings(Duration.ZERO, 1);
    report(1e9);

    assertThat(current()).isEqualTo(new CurrentWeight(1e9, Status.USABLE));
  }

  @Test
  void aClockThatStandsOnAnyNumberWillDo() {
    now = Long.MAX_VALUE - 5;
    report(100);
    now += BLACKOUT.toNanos(); // beyond the largest number, as nanoTime may go

    assertThat(current()).isEqualTo(new CurrentWeight(100, Status.USABLE));
  }

  private void report(double ofWeight) {
    report(new BackendMetrics(1, 0, 0, ofWeight, 0, Map.of(), Map.of()));
  }

  private void report(BackendMetrics report) {
    weight.onReport(report, settings, now);
  }

  private CurrentWeight current() {
    return weight.current(settings, now);
  }

  private static WeightedRoundRobin settings(Duration blackout, double penalty) {
    return new WeightedRoundRobin(
        false,
        Duration.ofSeconds(10),
        blackout,
        EXPIRATION,
        Duration.ofSeconds(1),
        penalty,
        List.of());
  }
}
