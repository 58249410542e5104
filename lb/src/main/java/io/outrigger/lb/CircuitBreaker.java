package io.outrigger.lb;

import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many calls of a cluster are in flight. Comparing and counting is one step, so the limit holds
 * however many loops pick at once (A32-06).
 */
@AnyThread
public final class CircuitBreaker {
  private final AtomicLong inFlight = new AtomicLong();

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
