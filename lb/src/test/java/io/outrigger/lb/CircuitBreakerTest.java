package io.outrigger.lb;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

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

  @Conformance("A32-06")
  @Test
  void theLimitHoldsHoweverManyThreadsPick() throws InterruptedException {
    var breaker = new CircuitBreaker();
    var holders = new AtomicInteger();
    var most = new AtomicInteger();
    var admitted = new AtomicInteger();
    Runnable picks =
        () -> {
          for (int i = 0; i < 200_000; i++) {
            if (breaker.tryAcquire(2)) {
              most.accumulateAndGet(holders.incrementAndGet(), Math::max);
              holders.decrementAndGet();
              breaker.release();
              admitted.incrementAndGet();
            }
          }
        };

    List<Thread> threads = Stream.generate(() -> new Thread(picks)).limit(4).toList();
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(most.get()).isLessThanOrEqualTo(2);
    assertThat(admitted.get()).isPositive();
    assertThat(breaker.inFlight()).isZero();
  }
}
