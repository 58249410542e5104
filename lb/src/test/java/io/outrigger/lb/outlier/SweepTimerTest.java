package io.outrigger.lb.outlier;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SweepTimerTest {
  private final FakeControlLoop loop = new FakeControlLoop();
  private final List<Long> sweeps = new ArrayList<>();
  private final SweepTimer timer =
      new SweepTimer(loop, start -> sweeps.add(Duration.ofNanos(start.nanos()).toMillis()));

  @Conformance("A50-09")
  @Test
  void sweepsAnIntervalAfterTheStartAndThenEachInterval() {
    seconds(3);
    timer.run(Duration.ofSeconds(5));

    seconds(16);

    assertThat(sweeps).containsExactly(8_000L, 13_000L, 18_000L);
  }

  @Conformance("A50-43")
  @ParameterizedTest(name = "60 s changed to {0} s after 20 s: next at {1} s")
  @CsvSource({"30, 30", "10, 20", "20, 20", "25, 25", "90, 90", "60, 60"})
  void aChangedIntervalCountsFromTheLastSweep(long interval, long next) {
    timer.run(Duration.ofSeconds(60));
    seconds(20);

    timer.run(Duration.ofSeconds(interval));
    seconds(200);

    assertThat(sweeps.get(0)).isEqualTo(next * 1000);
    assertThat(sweeps.get(1) - sweeps.get(0)).isEqualTo(interval * 1000);
  }

  @Conformance("A50-43")
  @Test
  void aChangedIntervalCountsFromTheLastOfSeveralSweeps() {
    timer.run(Duration.ofSeconds(60));
    seconds(140);

    timer.run(Duration.ofSeconds(30));
    seconds(40);

    assertThat(sweeps).containsExactly(60_000L, 120_000L, 150_000L, 180_000L);
  }

  @Conformance("A50-44")
  @Test
  void updatesThatChangeNothingPostponeNothing() {
    for (int second = 0; second < 35; second++) {
      timer.run(Duration.ofSeconds(10));
      seconds(1);
    }

    assertThat(sweeps).containsExactly(10_000L, 20_000L, 30_000L);
  }

  @Conformance("A50-58")
  @Test
  void anIntervalOfZeroDoesNotSpin() {
    timer.run(Duration.ZERO);

    seconds(1);

    assertThat(sweeps).hasSize(10);
  }

  @Test
  void afterAStopItBeginsAnew() {
    timer.run(Duration.ofSeconds(10));
    seconds(9);
    timer.stop();
    seconds(20);
    assertThat(sweeps).isEmpty();
    assertThat(loop.pendingTimers()).isZero();

    timer.run(Duration.ofSeconds(10));
    seconds(10);

    assertThat(sweeps).containsExactly(39_000L);
  }

  @Conformance("A50-51")
  @Test
  void aSweepThatComesLateComesOnce() {
    timer.run(Duration.ofSeconds(5));

    loop.stall(Duration.ofSeconds(23));
    seconds(9);

    assertThat(sweeps).containsExactly(23_000L, 28_000L);
  }

  private void seconds(long seconds) {
    loop.advance(Duration.ofSeconds(seconds));
  }
}
