package io.outrigger.dataplane.forward;

import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.AtomicLong;

/** A limit on a number of bytes or requests that all calls of one forward share. */
@AnyThread
final class Budget {
  private final long max;
  private final AtomicLong held = new AtomicLong();

  Budget(long max) {
    this.max = max;
  }

  /** Reserves a number of bytes or requests; returns false when fewer are available. */
  boolean hold(int count) {
    if (held.addAndGet(count) > max) {
      held.addAndGet(-count);
      return false;
    }
    return true;
  }

  void release(long count) {
    held.addAndGet(-count);
  }

  long held() {
    return held.get();
  }
}
