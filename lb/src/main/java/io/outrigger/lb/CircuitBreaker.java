package io.outrigger.lb;

import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the calls of a cluster that are in flight. {@link #tryAcquire} is atomic, so concurrent
 * picks on several event loops cannot exceed the limit (A32-06).
 */
@AnyThread
public class CircuitBreaker {
  private final AtomicLong inFlight = new AtomicLong();

  public boolean tryAcquire(long limit) {
    long before;
    do {
      before = inFlight();
      if (before >= limit) {
        return false;
      }
    } while (!inFlight.compareAndSet(before, before + 1));
    return true;
  }

  /** Counts the end of a call. Called once for each call that {@link #tryAcquire} admitted. */
  public void release() {
    inFlight.decrementAndGet();
  }

  public long inFlight() {
    return inFlight.get();
  }
}
