package io.outrigger.lb.outlier;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.lb.outlier.EjectionState.Admitted;
import io.outrigger.lb.outlier.EjectionState.Ejected;
import io.outrigger.lb.view.OutlierEvent.Method;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EjectionStateTest {
  @Conformance({"A50-28", "A50-30"})
  @ParameterizedTest(name = "base {0} s, max {1} s, ejection {2}: {3} s")
  @CsvSource({
    "10, 25, 1, 10",
    "10, 25, 2, 20",
    "10, 25, 3, 25",
    "10, 25, 4, 25",
    "10, 30, 3, 30",
    "30, 10, 1, 30",
    "30, 10, 2, 30",
    "30, 300, 2147483647, 300",
    "0, 0, 5, 0",
    "0, 60, 5, 0",
    "3155760000, 3155760000, 2147483647, 3155760000",
  })
  void ejectionsGetLongerUpToTheLongest(long base, long max, int multiplier, long expected) {
    var ejected = new Ejected(0, Instant.EPOCH, multiplier, Method.SUCCESS_RATE);

    assertThat(ejected.duration(config(base, max))).isEqualTo(Duration.ofSeconds(expected));
  }

  @Conformance("A50-29")
  @Test
  void anEjectionIsOverStrictlyAfterItsTime() {
    long since = Long.MAX_VALUE - 5; // the clock may pass its end
    var ejected = new Ejected(since, Instant.EPOCH, 1, Method.SUCCESS_RATE);
    long thirtySeconds = Duration.ofSeconds(30).toNanos();

    assertThat(ejected.isOver(since + thirtySeconds, config(30, 300))).isFalse();
    assertThat(ejected.isOver(since + thirtySeconds + 1, config(30, 300))).isTrue();
  }

  @Conformance("A50-31")
  @Test
  void thePastFadesByOneAndEndsAtNothing() {
    assertThat(new Admitted(3).decayed()).isEqualTo(new Admitted(2));
    assertThat(new Admitted(0).decayed()).isEqualTo(new Admitted(0));
  }

  private static OutlierDetection config(long base, long max) {
    return new OutlierDetection(
        Duration.ofSeconds(10),
        Duration.ofSeconds(base),
        Duration.ofSeconds(max),
        10,
        Optional.empty(),
        Optional.empty());
  }
}
