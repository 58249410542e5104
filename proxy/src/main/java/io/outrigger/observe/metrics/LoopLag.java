package io.outrigger.observe.metrics;

import io.outrigger.base.AnyThread;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * How long a task waits until an event loop has time for it. Nothing is measured between scrapes:
 * each posts one task per loop, and the next one tells how long those waited. One that still waits
 * counts with its time so far, so a loop that hangs shows as such.
 */
@AnyThread
public final class LoopLag {
  private static final long NONE = Long.MIN_VALUE;

  private final List<? extends Executor> loops;
  private final LongSupplier clock;

  /** By loop: when the task under way was posted; {@link #NONE} when there is none. */
  private final AtomicLongArray postedNanos;

  /** By loop: how long the last one waited. */
  private final AtomicLongArray waitedNanos;

  /**
   * @param clock monotonic nanoseconds
   */
  public LoopLag(List<? extends Executor> loops, LongSupplier clock) {
    this.loops = List.copyOf(loops);
    this.clock = clock;
    postedNanos = new AtomicLongArray(loops.size());
    waitedNanos = new AtomicLongArray(loops.size());
    for (int i = 0; i < loops.size(); i++) {
      postedNanos.set(i, NONE);
    }
  }

  /** The lag of each loop in nanoseconds as it was last seen, 0 at first; looks again meanwhile. */
  public long[] look() {
    long[] lags = new long[loops.size()];
    for (int i = 0; i < lags.length; i++) {
      long now = clock.getAsLong();
      long posted = postedNanos.get(i);
      lags[i] = Math.max(waitedNanos.get(i), posted == NONE ? 0 : now - posted);
      if (posted == NONE && postedNanos.compareAndSet(i, NONE, now)) {
        int loop = i;
        loops.get(i).execute(() -> onRun(loop));
      }
    }
    return lags;
  }

  private void onRun(int loop) {
    waitedNanos.set(loop, clock.getAsLong() - postedNanos.get(loop));
    postedNanos.set(loop, NONE);
  }
}
