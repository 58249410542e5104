package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.route.EffectiveTimeout;
import io.outrigger.http2.HeaderField;
import org.jspecify.annotations.Nullable;

/** What a call knows of its time, which runs from the arrival of its headers (A31-31). */
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

  /** {@link #onDeadline} follows at most a tick after the limit, once; never without a limit. */
  final void startTime() {
    if (limitNanos != EffectiveTimeout.NONE) {
      loop.deadlines().arm(this, arrivalNanos, limitNanos);
    }
  }

  final long limitNanos() {
    return limitNanos;
  }

  /** The call has to wait for something, or was sent: from now on the clock is asked again. */
  final void onArrivalOver() {
    justArrived = false;
  }

  /** How long the call has taken; 0 for what is done with it in the moment it arrives. */
  final long elapsedNanos() {
    return justArrived ? 0 : loop.nanoTime() - arrivalNanos;
  }

  /** When the call arrived, by the clock of the loop. */
  final long arrivalNanos() {
    return arrivalNanos;
  }

  final boolean isTimeOver() {
    return limitNanos != EffectiveTimeout.NONE && elapsedNanos() >= limitNanos;
  }

  /** The {@code grpc-timeout} that goes upstream: what is left; null without a limit (A31-37). */
  final @Nullable HeaderField timeoutField() {
    if (limitNanos == EffectiveTimeout.NONE) {
      return null;
    }
    return justArrived
        ? loop.timeouts().ofLimit(limitNanos)
        : TimeoutFields.of(Math.max(1, limitNanos - elapsedNanos()));
  }

  /** The call is over before its time. */
  final void endTime() {
    loop.deadlines().disarm(this);
  }
}
