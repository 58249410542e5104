package io.outrigger.lb.override;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import java.time.Duration;
import org.junit.jupiter.api.Test;

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
}
