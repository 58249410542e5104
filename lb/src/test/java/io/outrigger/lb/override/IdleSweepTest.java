package io.outrigger.lb.override;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdleSweepTest {
  private final FakeControlLoop loop = new FakeControlLoop();
  private int sweeps;
  private final IdleSweep sweep = new IdleSweep(loop, () -> sweeps++);

  @Conformance("A75-35")
  @Test
  void anEarlierDueTimeTakesThePlaceOfALaterOne() {
    sweep.plan(Duration.ofMinutes(60));
    sweep.plan(Duration.ofMinutes(30));
    sweep.plan(Duration.ofMinutes(45));

    loop.advance(Duration.ofMinutes(30).minusNanos(1));
    assertThat(sweeps).isZero();
    loop.advance(Duration.ofNanos(1));
    assertThat(sweeps).isEqualTo(1);
    loop.advance(Duration.ofMinutes(60));
    assertThat(sweeps).isEqualTo(1);
  }

  @Test
  void whatIsForgottenNeverComes() {
    sweep.plan(Duration.ofSeconds(10));

    sweep.stop();
    loop.advance(Duration.ofMinutes(1));

    assertThat(sweeps).isZero();
  }

  /** That at 10 s is planned; the one after it is 5 s later at least. */
  @Conformance("A75-36")
  @ParameterizedTest(name = "planned {0}, due in {1} s -> ends in {2} s")
  @CsvSource({
    "false, 1,  5",
    "false, 7,  7",
    "true,  3,  10",
    "true,  10, 10",
    "true,  12, 15",
    "true,  20, 20",
  })
  void aConnectionEndsWithTheFirstSweepAfterItIsDue(boolean planned, int due, int end) {
    if (planned) {
      sweep.plan(Duration.ofSeconds(10));
    }

    assertThat(sweep.end(Duration.ofSeconds(due))).isEqualTo(Duration.ofSeconds(end));
  }
}
