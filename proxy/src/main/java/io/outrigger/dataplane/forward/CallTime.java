package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.route.EffectiveTimeout;

/** The time limit of a call, which runs from the arrival of the request headers (A31-31). */
@LoopConfined
final class CallTime extends DeadlineTimers.Entry {
  /** A call that ends at its deadline. */
  interface Limited {
    void onDeadline();
  }

  private final CallLoop loop;
  private final Limited call;
  private final long arrivalNanos;
  private long limitNanos = EffectiveTimeout.NONE;
  private boolean justArrived = true;

  /** Starts the time of a call that arrives now. */
  CallTime(CallLoop loop, Limited call) {
    this.loop = loop;
    this.call = call;
    arrivalNanos = loop.nanoTime();
  }

  /** Sets the limit, which {@link #arm} enforces. */
  void limit(long nanos) {
    limitNanos = nanos;
  }

  /**
   * Arms the deadline. {@link Limited#onDeadline} runs once, at most one tick after the limit. Does
   * nothing without a limit.
   */
  void arm() {
    if (limitNanos != EffectiveTimeout.NONE) {
      loop.deadlines().arm(this, arrivalNanos, limitNanos);
    }
  }

  void disarm() {
    loop.deadlines().disarm(this);
  }

  @Override
  void onDeadline() {
    call.onDeadline();
  }

  long limitNanos() {
    return limitNanos;
  }

  /**
   * The processing of the arrived headers is over; from now on, {@link #elapsedNanos} reads the
   * clock.
   */
  void onArrivalOver() {
    justArrived = false;
  }

  /** The time since the arrival of the call; 0 while its arrived headers are being processed. */
  long elapsedNanos() {
    return justArrived ? 0 : loop.nanoTime() - arrivalNanos;
  }

  /** The time of the call's arrival, by the clock of the loop. */
  long arrivalNanos() {
    return arrivalNanos;
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
