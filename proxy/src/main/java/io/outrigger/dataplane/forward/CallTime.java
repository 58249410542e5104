package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.route.EffectiveTimeout;

/** The time limit of a call, which runs from the arrival of the request headers (A31-31). */
@LoopConfined
abstract class CallTime extends DeadlineTimers.Entry {
  private final CallLoop loop;
  private final long arrivalNanos;
  private long limitNanos = EffectiveTimeout.NONE;

  /** Whether the arrived headers are still being processed. */
  private boolean arriving = true;

  CallTime(CallLoop loop) {
    this.loop = loop;
    arrivalNanos = loop.nanoTime();
  }

  void arrived() {
    arriving = false;
  }

  /** Sets the limit, which {@link #arm} enforces. */
  void limit(long nanos) {
    limitNanos = nanos;
  }

  /**
   * Arms the deadline. {@link #onDeadline} runs once, at most one tick after the limit. A call
   * without a limit gets no timer.
   */
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

  /** The time since the arrival of the call; 0, without reading the clock, while it arrives. */
  long elapsedNanos() {
    return arriving ? 0 : loop.nanoTime() - arrivalNanos;
  }

  boolean isOver() {
    return limitNanos != EffectiveTimeout.NONE && elapsedNanos() >= limitNanos;
  }

  /** The positive time until the deadline; {@link EffectiveTimeout#NONE} without a limit. */
  long remainingNanos() {
    return limitNanos == EffectiveTimeout.NONE
        ? EffectiveTimeout.NONE
        : Math.max(1, limitNanos - elapsedNanos());
  }
}
