package io.outrigger.abuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.WaitingClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class CallsTest {
  private final Calls calls = new Calls();

  @Test
  void aCallThatHadNoAnswerUntilTheEndHasFailed() {
    Calls.Call call = calls.begin(WaitingClock.nanoTime() - Duration.ofSeconds(3).toNanos());
    calls.settle();
    calls.end(call, Calls.OK);

    assertThat(calls.failures()).containsOnlyKeys("no answer in 3 s");
  }

  @Test
  void aCallThatBeginsAfterTheEndBelongsToNobody() {
    calls.end(calls.begin(WaitingClock.nanoTime()), Calls.OK);
    calls.over();
    calls.begin(WaitingClock.nanoTime()); // the neighbour's thread was slow
    assertThat(calls.open()).isZero();
    calls.settle();

    assertThat(calls.failures()).isEmpty();
    assertThat(calls.count()).isEqualTo(1);
  }
}
