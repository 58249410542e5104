package io.outrigger.base;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;

/**
 * The single thread of the control plane half of the proxy: an ordered executor with a clock and
 * timers.
 *
 * <p>Tasks run one after the other in the order in which they were posted and are never nested: a
 * task posted from within a task runs after it. A failure of a task is logged and counted, and the
 * loop continues.
 */
public interface ControlLoop extends Executor {
  /** Posts {@code task} from any thread. Tasks posted after the loop has closed are dropped. */
  @Override
  void execute(Runnable task);

  /**
   * Runs {@code task} once, {@code delay} from now (as soon as possible when the delay is zero or
   * negative).
   */
  TimerHandle schedule(Duration delay, Runnable task);

  /** Throws {@code IllegalStateException} if the caller does not run on the loop. */
  void checkInside();

  /** Returns monotonic time in nanoseconds. Only differences of two such times have a meaning. */
  long nanoTime();

  /**
   * Returns the wall-clock time, for logs and status views only. No decision depends on the
   * wall-clock time.
   */
  Instant now();
}
