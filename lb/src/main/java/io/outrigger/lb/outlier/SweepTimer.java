package io.outrigger.lb.outlier;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.TimerHandle;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sweeps one interval after the start of the sweep before, or after detection was switched on. By
 * the monotonic clock (A50-50); a sweep that comes late comes once (A50-51).
 */
@ControlConfined
final class SweepTimer {
  /** An interval of zero is legal, and must not keep the control loop busy (A50-58). */
  static final Duration SHORTEST = Duration.ofMillis(100);

  private final ControlLoop control;
  private final Consumer<Start> sweep;
  private Duration period = Duration.ZERO;
  private long startedNanos;
  private @Nullable TimerHandle timer;

  /**
   * When a sweep began. It is read before anything else of the sweep is done, so that the time of
   * an ejection does not depend on how long a sweep takes (A50 records the timestamp first).
   *
   * @param time by the wall clock, for people
   * @param nanos by the monotonic clock
   */
  record Start(Instant time, long nanos) {}

  /** A timer that stands still. {@code sweep} may change or stop it. */
  SweepTimer(ControlLoop control, Consumer<Start> sweep) {
    this.control = control;
    this.sweep = sweep;
  }

  boolean isRunning() {
    return timer != null;
  }

  /**
   * Sweeps every {@code interval} from now on. If it runs already, the next sweep is an interval
   * after the last one began, at once when that is past (A50-43); the same interval again changes
   * nothing (A50-44).
   */
  void run(Duration interval) {
    Duration next = interval.compareTo(SHORTEST) < 0 ? SHORTEST : interval;
    TimerHandle running = timer;
    if (running == null) {
      startedNanos = control.nanoTime();
    } else if (next.equals(period)) {
      return;
    } else {
      running.cancel();
    }
    period = next;
    Duration since = Duration.ofNanos(control.nanoTime() - startedNanos);
    timer = control.schedule(next.minus(since), this::onTime);
  }

  void stop() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  private void onTime() {
    var start = new Start(control.now(), control.nanoTime());
    startedNanos = start.nanos();
    timer = control.schedule(period, this::onTime);
    sweep.accept(start);
  }
}
