package io.outrigger.lb.override;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.TimerHandle;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides when the connections that only sessions keep are checked (A75): when the earliest of them
 * is due, but at least 5 s after that was planned, so at most every 5 s; never while there are
 * none. A connection that was used meanwhile gets a new time at the check.
 */
@ControlConfined
final class IdleSweep {
  static final Duration SHORTEST_PAUSE = Duration.ofSeconds(5);

  private final ControlLoop control;
  private final Runnable sweep;
  private @Nullable TimerHandle timer;
  private long plannedNanos;

  /**
   * @param sweep checks the connections, and plans the next check for those that are left
   */
  IdleSweep(ControlLoop control, Runnable sweep) {
    this.control = control;
    this.sweep = sweep;
  }

  /** A connection is due in {@code remaining}, unless it is used before. */
  void plan(Duration remaining) {
    Duration delay = longer(remaining, SHORTEST_PAUSE);
    long due = control.nanoTime() + delay.toNanos();
    if (timer != null && plannedNanos - due <= 0) {
      return; // an earlier one is planned, and will plan for this
    }
    stop();
    plannedNanos = due;
    timer = control.schedule(delay, this::run);
  }

  /** Cancels the planned check. */
  void stop() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  /** When a connection ends that is due in {@code remaining} and not used until then. */
  Duration end(Duration remaining) {
    if (timer == null) {
      return longer(remaining, SHORTEST_PAUSE);
    }
    Duration planned = Duration.ofNanos(plannedNanos - control.nanoTime());
    return planned.compareTo(remaining) >= 0
        ? planned
        : longer(remaining, planned.plus(SHORTEST_PAUSE));
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  private void run() {
    timer = null;
    sweep.run();
  }
}
