package io.outrigger.observe.metrics;

import io.outrigger.base.ControlConfined;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * Measures how long a task waits for its event loop. Each scrape posts one task per loop, and the
 * next scrape reports how long that task waited. If the task still waits, its wait until now is
 * reported, so a hanging loop is visible. Nothing is measured between scrapes.
 */
@ControlConfined
public final class LoopLag {
  private final LongSupplier nanoTime;
  private final List<Loop> loops;

  public LoopLag(List<? extends Executor> loops, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.loops = loops.stream().map(Loop::new).toList();
  }

  /**
   * Returns the last measured lag of each loop in nanoseconds (0 at first), and starts the next
   * measurement.
   */
  public List<Long> measure() {
    return loops.stream().map(Loop::measure).toList();
  }

  private final class Loop {
    private final Executor loop;
    private long postedNanos;
    private volatile boolean isWaiting;

    /** The waiting time of the last task that has run. */
    private volatile long waitedNanos;

    Loop(Executor loop) {
      this.loop = loop;
    }

    long measure() {
      long now = nanoTime.getAsLong();
      long last = waitedNanos;
      if (isWaiting) {
        return Math.max(last, now - postedNanos);
      }
      isWaiting = true;
      postedNanos = now;
      loop.execute(
          () -> {
            waitedNanos = nanoTime.getAsLong() - now;
            isWaiting = false;
          });
      return last;
    }
  }
}
