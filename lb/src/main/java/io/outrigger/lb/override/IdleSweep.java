package io.outrigger.lb.override;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.TimerHandle;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Schedules the checks of the connections that are kept only for sessions (A75): a check runs when
 * the earliest of these connections is due, but at least 5 s after it was scheduled, so at most
 * every 5 s; no check is scheduled while there are no such connections. A connection that was used
 * meanwhile gets a new due time at the check.
 */
@ControlConfined
final class IdleSweep {
  static final Duration SHORTEST_PAUSE = Duration.ofSeconds(5);

  private final ControlLoop control;
  private final Runnable sweep;
  private @Nullable TimerHandle timer;
  private long plannedNanos;

  /**
   * @param sweep checks the connections, and schedules the next check for those that remain
   */
  IdleSweep(ControlLoop control, Runnable sweep) {
    this.control = control;
    this.sweep = sweep;
  }

  /**
   * Schedules a check of a connection that sessions leave unused until {@code remaining} has
   * passed.
   */
  void plan(Duration remaining) {
    Duration delay = remaining.compareTo(SHORTEST_PAUSE) >= 0 ? remaining : SHORTEST_PAUSE;
    long due = control.nanoTime() + delay.toNanos();
    if (timer != null && plannedNanos - due <= 0) {
      return; // an earlier check will schedule this one
    }
    stop();
    plannedNanos = due;
    timer = control.schedule(delay, this::run);
  }

  void stop() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  private void run() {
    timer = null;
    sweep.run();
  }
}
