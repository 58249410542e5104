package io.outrigger.lb;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CircuitBreakerTest {
  @Test
  void theLimitIsReachedAndNotPassed() {
    var breaker = new CircuitBreaker();
    assertThat(breaker.tryAcquire(2)).isTrue();
    assertThat(breaker.tryAcquire(2)).isTrue();
    assertThat(breaker.tryAcquire(2)).isFalse();
    assertThat(breaker.inFlight()).isEqualTo(2);

    breaker.release();

    assertThat(breaker.inFlight()).isEqualTo(1);
    assertThat(breaker.tryAcquire(2)).isTrue();
    assertThat(breaker.tryAcquire(1)).as("a limit that was lowered").isFalse();
    assertThat(breaker.tryAcquire(0)).isFalse();
  }

  /** If the comparison and the count were two steps, the calls of others would fall between. */
  @Conformance("A32-06")
  @ParameterizedTest(name = "limit {0}, {1} others between: admitted {2}, in flight {3}")
  @CsvSource({
    "1,  1, false, 1",
    "2,  1, true,  2",
    "2,  2, false, 2",
    "3,  2, true,  3",
    "10, 9, true,  10",
    "10, 10, false, 10",
  })
  void theComparisonAndTheCountAreOneStep(long limit, int others, boolean admitted, long inFlight) {
    var breaker = new Contended();
    breaker.others = others;

    assertThat(breaker.tryAcquire(limit)).isEqualTo(admitted);

    assertThat(breaker.inFlight()).isEqualTo(inFlight);
  }

  /** A breaker of which others acquire as soon as a call has read how many are in flight. */
  private static final class Contended extends CircuitBreaker {
    private int others;

    @Override
    public long inFlight() {
      long read = super.inFlight();
      if (others > 0) {
        others--;
        tryAcquire(Long.MAX_VALUE);
      }
      return read;
    }
  }
}
