package io.outrigger.dataplane.forward;

import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.AtomicLong;

/** A number of bytes that all calls of a forward share. */
@AnyThread
final class ByteBudget {
  private final long most;
  private final AtomicLong held = new AtomicLong();

  ByteBudget(long most) {
    this.most = most;
  }

  /** Takes {@code count}; false, and takes nothing, when there are not as many. */
  boolean hold(int count) {
    if (held.addAndGet(count) > most) {
      held.addAndGet(-count);
      return false;
    }
    return true;
  }

  void letGo(long count) {
    held.addAndGet(-count);
  }

  long held() {
    return held.get();
  }
}
