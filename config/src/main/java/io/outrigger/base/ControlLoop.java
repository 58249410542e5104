package io.outrigger.base;

import java.time.Instant;
import java.util.concurrent.Executor;

/**
 * The single thread that processes configuration and runs load-balancing policies: an executor with
 * a clock and timers.
 *
 * <p>Tasks run one after the other in the order in which they were posted. If a task fails, the
 * loop logs and counts the failure, and continues.
 */
public interface ControlLoop extends Executor, OneTimer.Scheduler {
  /** Posts {@code task} from any thread. Tasks posted after the loop has closed are dropped. */
  @Override
  void execute(Runnable task);

  /** Throws {@code IllegalStateException} if the caller does not run on the loop. */
  void checkInside();

  /** Returns monotonic time in nanoseconds; only the difference of two results is meaningful. */
  long nanoTime();

  /** Returns the wall-clock time, which only logs and status views may use. */
  Instant now();
}
