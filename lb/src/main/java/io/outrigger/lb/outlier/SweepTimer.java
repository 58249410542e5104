package io.outrigger.lb.outlier;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.OneTimer;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;

/**
 * Starts a sweep one interval after the start of the previous sweep. The first sweep starts one
 * interval after detection was switched on. The timer uses the monotonic clock (A50-50). A missed
 * sweep is skipped and not made up for (A50-51).
 */
@ControlConfined
final class SweepTimer {
  /**
   * The minimum interval. A configured interval of zero is valid, but must not keep the control
   * loop busy (A50-58).
   */
  static final Duration MIN_INTERVAL = Duration.ofMillis(100);

  private final ControlLoop control;
  private final Consumer<Start> sweep;
  private final OneTimer timer;
  private Duration period = Duration.ZERO;
  private long startedNanos;

  /**
   * The time at which a sweep began. As in A50, the time is read before all other work of the
   * sweep, so that the duration of an ejection does not depend on the duration of the sweep.
   *
   * @param time the start of the sweep by the wall clock, for people
   * @param nanos the start of the sweep by the monotonic clock
   */
  record Start(Instant time, long nanos) {}

  /** Creates a stopped timer. The callback {@code sweep} may change or stop the timer. */
  SweepTimer(ControlLoop control, Consumer<Start> sweep) {
    this.control = control;
    this.sweep = sweep;
    this.timer = new OneTimer(control);
  }

  /**
   * Starts the timer, or changes the interval of a running timer. A new interval counts from the
   * start of the last sweep. If the next sweep is then overdue, it starts immediately (A50-43). If
   * the interval is unchanged, this method does nothing (A50-44).
   */
  void run(Duration interval) {
    Duration next = interval.compareTo(MIN_INTERVAL) < 0 ? MIN_INTERVAL : interval;
    if (!timer.isRunning()) {
      startedNanos = control.nanoTime();
    } else if (next.equals(period)) {
      return;
    }
    period = next;
    Duration since = Duration.ofNanos(control.nanoTime() - startedNanos);
    timer.start(next.minus(since), this::onTime);
  }

  void stop() {
    timer.stop();
  }

  private void onTime() {
    var start = new Start(control.now(), control.nanoTime());
    startedNanos = start.nanos();
    timer.start(period, this::onTime);
    sweep.accept(start);
  }
}
