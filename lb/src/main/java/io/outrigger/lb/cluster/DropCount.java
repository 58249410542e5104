package io.outrigger.lb.cluster;

import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts dropped calls: each event loop in a cache line of its own, with nothing but plain moves.
 */
@AnyThread
final class DropCount {
  /** Longs per loop: two loops never share a line. */
  private static final int STRIDE = 8;

  private final AtomicLongArray counts;
  private long last; // on the control loop alone

  DropCount(int loops) {
    counts = new AtomicLongArray(loops * STRIDE);
  }

  /** On event loop {@code loop}. */
  void onDrop(int loop) {
    int i = loop * STRIDE;
    counts.setRelease(i, counts.getPlain(i) + 1); // one writer per slot
  }

  /** The count so far. Any thread. */
  long total() {
    long total = 0;
    for (int i = 0; i < counts.length(); i += STRIDE) {
      total += counts.getAcquire(i);
    }
    return total;
  }

  /** The count since the last call of this method. Control loop. */
  long sinceLast() {
    long before = last;
    last = total();
    return last - before;
  }
}
