package io.outrigger.lb;

import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many calls of a cluster are in flight. Comparing and counting is one step, so the limit holds
 * however many loops pick at once (A32-06).
 */
@AnyThread
public final class CircuitBreaker {
  private final Count inFlight;

  /**
   * A number that threads share. It cannot be counted up without a comparison. In tests, the steps
   * of another thread fall between two steps of this one.
   */
  interface Count {
    long get();

    /** Sets {@code next} if the number is {@code expected}; false when it is not. */
    boolean compareAndSet(long expected, long next);

    long decrementAndGet();
  }

  /** The number of a running process. */
  private static final class AtomicCount extends AtomicLong implements Count {}

  public CircuitBreaker() {
    this(new AtomicCount());
  }

  CircuitBreaker(Count inFlight) {
    this.inFlight = inFlight;
  }

  /** Counts a call in, unless {@code limit} or more are in flight already. */
  public boolean tryAcquire(long limit) {
    while (true) {
      long before = inFlight.get();
      if (before >= limit) {
        return false;
      }
      if (inFlight.compareAndSet(before, before + 1)) {
        return true;
      }
    }
  }

  /** Counts a call out; once per call that was counted in. */
  public void release() {
    inFlight.decrementAndGet();
  }

  public long inFlight() {
    return inFlight.get();
  }
}
