package io.outrigger.dataplane.filter;

import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many requests of the whole process a fault is being done to (A33 "Maximum active faults").
 */
@AnyThread
public final class ActiveFaults {
  private final AtomicLong active = new AtomicLong();

  /** Counts one more, unless that would be more than {@code most}. */
  boolean tryBegin(long most) {
    if (active.incrementAndGet() > most) {
      active.decrementAndGet();
      return false;
    }
    return true;
  }

  void end() {
    active.decrementAndGet();
  }

  /** The number now. */
  public long count() {
    return active.get();
  }
}
