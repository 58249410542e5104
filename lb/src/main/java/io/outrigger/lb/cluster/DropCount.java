package io.outrigger.lb.cluster;

import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counts dropped calls: each event loop writes to its own cache line, with plain moves only. */
@AnyThread
final class DropCount {
  /** Longs per event loop: the distance keeps two loops on different cache lines. */
  private static final int STRIDE = 8;

  private final AtomicLongArray counts;
  private long last; // used on the control loop only

  DropCount(int loops) {
    counts = new AtomicLongArray(loops * STRIDE);
  }

  /** Counts a dropped call; runs on event loop {@code loop}. */
  void onDrop(int loop) {
    int i = loop * STRIDE;
    counts.setRelease(i, counts.getPlain(i) + 1); // one writer per slot
  }

  /** The number of dropped calls so far. Any thread may call this method. */
  long total() {
    long total = 0;
    for (int i = 0; i < counts.length(); i += STRIDE) {
      total += counts.getAcquire(i);
    }
    return total;
  }

  /**
   * The number of dropped calls since the last call of this method. This method must run on the
   * control loop.
   */
  long sinceLast() {
    long before = last;
    last = total();
    return last - before;
  }
}
