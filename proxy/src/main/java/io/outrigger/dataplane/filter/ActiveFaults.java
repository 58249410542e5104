package io.outrigger.dataplane.filter;

import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the requests of the process with an active fault (A33 "Maximum active faults"). */
@AnyThread
public final class ActiveFaults {
  private final AtomicLong active = new AtomicLong();

  /** Counts one more active fault and returns true, unless the count would exceed the maximum. */
  boolean tryBegin(long max) {
    if (active.incrementAndGet() > max) {
      active.decrementAndGet();
      return false;
    }
    return true;
  }

  void end() {
    active.decrementAndGet();
  }

  /** The current number of active faults. */
  public long count() {
    return active.get();
  }
}
