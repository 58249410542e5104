package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.route.EffectiveTimeout;
import io.outrigger.http2.HeaderField;
import org.jspecify.annotations.Nullable;

/** The time limit of a call, which runs from the arrival of the request headers (A31-31). */
@LoopConfined
abstract class TimedCall extends DeadlineTimers.Entry {
  final CallLoop loop;
  private final long arrivalNanos;
  private long limitNanos = EffectiveTimeout.NONE;
  private boolean justArrived = true;

  TimedCall(CallLoop loop) {
    this.loop = loop;
    arrivalNanos = loop.nanoTime();
  }

  /** Sets the limit, which {@link #startTime} enforces. */
  final void limit(long nanos) {
    limitNanos = nanos;
  }

  /**
   * Arms the deadline. {@link #onDeadline} runs once, at most one tick after the limit. Does
   * nothing without a limit.
   */
  final void startTime() {
    if (limitNanos != EffectiveTimeout.NONE) {
      loop.deadlines().arm(this, arrivalNanos, limitNanos);
    }
  }

  final long limitNanos() {
    return limitNanos;
  }

  /**
   * The processing of the arrived headers is over; from now on, {@link #elapsedNanos} reads the
   * clock.
   */
  final void onArrivalOver() {
    justArrived = false;
  }

  /** The time since the arrival of the call; 0 while its arrived headers are being processed. */
  final long elapsedNanos() {
    return justArrived ? 0 : loop.nanoTime() - arrivalNanos;
  }

  /** The time of the call's arrival, by the clock of the loop. */
  final long arrivalNanos() {
    return arrivalNanos;
  }

  final boolean isTimeOver() {
    return limitNanos != EffectiveTimeout.NONE && elapsedNanos() >= limitNanos;
  }

  /**
   * The {@code grpc-timeout} for the backend, with the remaining time; null without a limit
   * (A31-37).
   */
  final @Nullable HeaderField timeoutField() {
    if (limitNanos == EffectiveTimeout.NONE) {
      return null;
    }
    return justArrived
        ? loop.timeouts().ofLimit(limitNanos)
        : TimeoutFields.of(Math.max(1, limitNanos - elapsedNanos()));
  }

  /** Disarms the deadline. */
  final void endTime() {
    loop.deadlines().disarm(this);
  }
}
