package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.route.EffectiveTimeout;

/** The time limit of a call, which runs from the arrival of the request headers (A31-31). */
@LoopConfined
abstract class CallTime extends DeadlineTimers.Entry {
  private final CallLoop loop;
  private final long arrivalNanos;
  private long limitNanos = EffectiveTimeout.NONE;

  private boolean arriving = true;

  CallTime(CallLoop loop) {
    this.loop = loop;
    arrivalNanos = loop.nanoTime();
  }

  /** Called when the call has processed its request headers; until then the elapsed time is 0. */
  void arrived() {
    arriving = false;
  }

  /** Sets the time limit; {@link #arm} must follow. */
  void limit(long nanos) {
    limitNanos = nanos;
  }

  /** Arms the deadline; does nothing for a call without a limit. */
  void arm() {
    if (limitNanos != EffectiveTimeout.NONE) {
      loop.deadlines.arm(this, arrivalNanos, limitNanos);
    }
  }

  void disarm() {
    loop.deadlines.disarm(this);
  }

  long limitNanos() {
    return limitNanos;
  }

  /** The time since the request headers arrived; 0 until {@link #arrived} is called. */
  long elapsedNanos() {
    return arriving ? 0 : loop.nanoTime() - arrivalNanos;
  }

  boolean isOver() {
    return limitNanos != EffectiveTimeout.NONE && elapsedNanos() >= limitNanos;
  }

  /** The time until the deadline (at least 1 ns), or {@link EffectiveTimeout#NONE} if unlimited. */
  long remainingNanos() {
    return limitNanos == EffectiveTimeout.NONE
        ? EffectiveTimeout.NONE
        : Math.max(1, limitNanos - elapsedNanos());
  }
}
