package io.outrigger.lb;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CircuitBreakerTest {
  /** A number that other threads change right after it was read, as often as the test says. */
  private static final class ContendedCount implements CircuitBreaker.Count {
    private long value;
    private int others;

    @Override
    public long get() {
      long read = value;
      if (others > 0) {
        others--;
        value++;
      }
      return read;
    }

    @Override
    public boolean compareAndSet(long expected, long next) {
      if (value != expected) {
        return false;
      }
      value = next;
      return true;
    }

    @Override
    public long decrementAndGet() {
      return --value;
    }
  }

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

  /** Were comparing and counting two steps, the others' would fall between them. */
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
  void comparingAndCountingIsOneStep(long limit, int others, boolean admitted, long inFlight) {
    var count = new ContendedCount();
    var breaker = new CircuitBreaker(count);
    count.others = others;

    assertThat(breaker.tryAcquire(limit)).isEqualTo(admitted);

    assertThat(breaker.inFlight()).isEqualTo(inFlight);
  }
}
