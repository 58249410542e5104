package io.outrigger.base;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A timer for one task at a time. Only the loop of the {@link Scheduler} may use the timer. */
@LoopConfined
public final class OneTimer {
  /** Runs tasks later, on one thread. */
  public interface Scheduler {
    /** Runs {@code task} once after {@code delay}, or soon if the delay is zero or less. */
    TimerHandle schedule(Duration delay, Runnable task);
  }

  private final Scheduler loop;
  private @Nullable TimerHandle running;

  public OneTimer(Scheduler loop) {
    this.loop = loop;
  }

  /** Runs {@code task} after {@code delay}, unless the timer is stopped or restarted first. */
  public void start(Duration delay, Runnable task) {
    stop();
    running =
        loop.schedule(
            delay,
            () -> {
              running = null;
              task.run();
            });
  }

  public boolean isRunning() {
    return running != null;
  }

  public void stop() {
    if (running != null) {
      running.cancel();
      running = null;
    }
  }
}
