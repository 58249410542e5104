package io.outrigger.base;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;

/**
 * The one thread of the control half: an ordered executor with a clock and timers.
 *
 * <p>Tasks run one after the other in the order in which they were posted and are never nested: a
 * task posted from within a task runs after it. A task that throws is logged and counted; the loop
 * goes on.
 */
public interface ControlLoop extends Executor {
  /**
   * Posts {@code task}; callable from any thread. Tasks posted after the loop closed are dropped.
   */
  @Override
  void execute(Runnable task);

  /** Runs {@code task} once, {@code delay} from now (zero or negative: as soon as possible). */
  TimerHandle schedule(Duration delay, Runnable task);

  /**
   * Fails when the caller is not on the loop.
   *
   * @throws IllegalStateException from another thread
   */
  void checkInside();

  /** Monotonic time in nanoseconds; only differences mean something. */
  long nanoTime();

  /** Wall-clock time, for people: never used to decide anything. */
  Instant now();
}
