package io.outrigger.observe.metrics;

import io.outrigger.base.AnyThread;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * Measures how long a task waits for its event loop. Each scrape posts one task per loop, and the
 * next scrape reports how long that task waited. A task that is still waiting counts with its time
 * so far, so a hanging loop shows as lag. Nothing is measured between scrapes.
 */
@AnyThread
public final class LoopLag {
  private static final long NONE = Long.MIN_VALUE;

  private final List<? extends Executor> loops;
  private final LongSupplier clock;

  /**
   * The time at which the pending task of each loop was posted; {@link #NONE} without a pending
   * task.
   */
  private final AtomicLongArray postedNanos;

  /** The waiting time of the last task of each loop. */
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

  /**
   * Returns the last measured lag of each loop in nanoseconds, 0 at first; starts the next
   * measurement.
   */
  public long[] measure() {
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
