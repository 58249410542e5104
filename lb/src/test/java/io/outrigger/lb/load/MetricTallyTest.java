package io.outrigger.lb.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.cluster.PropagatedMetrics;
import io.outrigger.config.load.MetricTotal;
import io.outrigger.lb.BackendMetrics;
import io.outrigger.testing.Conformance;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class MetricTallyTest {
  private static final int LOOPS = 2;

  @Conformance("A64-01")
  @Test
  void onlyWhatIsNamedIsAdded() {
    var tally =
        tally("mem_utilization", "application_utilization", "utilization.disk", "named_metrics.q");

    tally.onReport(
        0,
        new BackendMetrics(0.1, 0.2, 0.3, 4, 5, map("disk", 0.6, "gpu", 0.7), map("q", 8, "r", 9)));

    assertThat(tally.take())
        .containsOnly(
            Map.entry("application_utilization", new MetricTotal(1, 0.1)),
            Map.entry("mem_utilization", new MetricTotal(1, 0.3)),
            Map.entry("utilization.disk", new MetricTotal(1, 0.6)),
            Map.entry("named_metrics.q", new MetricTotal(1, 8)));
  }

  @Conformance("A64-01")
  @Test
  void unknownNamesAndANumberThatWasNotGivenAddNothing() {
    var tally = tally("cpu_utilization", "rps", "", "named_metrics", "*", "request_cost.*");

    tally.onReport(0, new BackendMetrics(1, 0, 1, 1, 1, map("a", 1), map("b", 1)));

    assertThat(tally.take()).isEmpty();
  }

  @Test
  void whatCannotBeTrueIsLeftOut() {
    var tally = tally("cpu_utilization", "mem_utilization", "named_metrics.*");

    tally.onReport(
        0,
        new BackendMetrics(
            0,
            Double.NaN,
            -0.5,
            0,
            0,
            Map.of(),
            map("nan", Double.NaN, "infinite", Double.POSITIVE_INFINITY, "negative", -3)));

    assertThat(tally.take())
        .containsOnly(Map.entry("named_metrics.negative", new MetricTotal(1, -3)));
  }

  @Test
  void aBackendThatMakesUpNamesIsNotHeardOnAllOfThem() {
    var tally = tally("named_metrics.*");

    for (int i = 0; i < 2 * MetricTally.MAX_NAMES; i++) {
      tally.onReport(0, named(map("n" + i, 1)));
    }
    tally.onReport(0, named(map("n0", 1)));

    assertThat(tally.take())
        .hasSize(MetricTally.MAX_NAMES)
        .containsEntry("named_metrics.n0", new MetricTotal(2, 2));
    tally.onReport(0, named(map("fresh", 1)));
    assertThat(tally.take()).containsOnlyKeys("named_metrics.fresh");
  }

  @Conformance("A64-02")
  @Test
  void nothingIsLostBetweenLoopsThatAddAndOneWhoTakes() throws InterruptedException {
    int reports = 20_000;
    var tally = tally("named_metrics.*");
    var running = new AtomicInteger(LOOPS);
    Thread[] loops = new Thread[LOOPS];
    for (int loop = 0; loop < LOOPS; loop++) {
      int number = loop;
      loops[loop] =
          new Thread(
              () -> {
                for (int i = 0; i < reports; i++) {
                  tally.onReport(number, named(map("n", 1)));
                }
                running.decrementAndGet();
              });
      loops[loop].start();
    }

    var none = new MetricTotal(0, 0);
    MetricTotal sum = none;
    while (running.get() > 0) {
      sum = sum.plus(tally.take().getOrDefault("named_metrics.n", none));
    }
    for (Thread loop : loops) {
      loop.join();
    }
    sum = sum.plus(tally.take().getOrDefault("named_metrics.n", none));

    assertThat(sum).isEqualTo(new MetricTotal((long) LOOPS * reports, (double) LOOPS * reports));
  }

  private MetricTally tally(String... names) {
    return new MetricTally(PropagatedMetrics.of(List.of(names)), LOOPS);
  }

  private static BackendMetrics named(Map<String, Double> metrics) {
    return new BackendMetrics(0, 0, 0, 0, 0, Map.of(), metrics);
  }

  private static Map<String, Double> map(Object... namesAndValues) {
    Map<String, Double> map = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      map.put((String) namesAndValues[i], ((Number) namesAndValues[i + 1]).doubleValue());
    }
    return map;
  }
}
