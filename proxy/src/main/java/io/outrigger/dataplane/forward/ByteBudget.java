package io.outrigger.dataplane.forward;

import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.AtomicLong;

/** A limit on bytes that all calls of one forward share. */
@AnyThread
final class ByteBudget {
  private final long max;
  private final AtomicLong held = new AtomicLong();

  ByteBudget(long max) {
    this.max = max;
  }

  /** Reserves {@code count} bytes; returns false and reserves nothing when fewer are free. */
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
