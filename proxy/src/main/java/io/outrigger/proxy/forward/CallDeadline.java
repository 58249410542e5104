package io.outrigger.proxy.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.proxy.http2.HeaderField;
import io.outrigger.proxy.route.EffectiveTimeout;
import org.jspecify.annotations.Nullable;

/** A call's time, from the arrival of its headers (A31-31). */
@LoopConfined
final class CallDeadline extends DeadlineTimers.Entry {
  private static final long FARTHEST = Long.MAX_VALUE / 4;

  private final CallLoop loop;
  private final ForwardedCall call;
  private final long arrivalNanos;
  private long limitNanos = EffectiveTimeout.NONE;
  private boolean justArrived = true;

  /**
   * @param call told once, at most a tick after the limit
   */
  CallDeadline(CallLoop loop, ForwardedCall call) {
    this.loop = loop;
    this.call = call;
    arrivalNanos = loop.nanoTime();
  }

  /** Sets the limit, unless it is {@link EffectiveTimeout#NONE}. */
  void limit(long nanos) {
    if (nanos != EffectiveTimeout.NONE) {
      limitNanos = nanos;
      loop.deadlines().arm(this, arrivalNanos + Math.min(nanos, FARTHEST));
    }
  }

  long limitNanos() {
    return limitNanos;
  }

  /** The call has to wait for something, or was sent: from now on the clock is asked again. */
  void onArrivalOver() {
    justArrived = false;
  }

  /** How long the call has taken; 0 for what is done with it in the moment it arrives. */
  long elapsedNanos() {
    return justArrived ? 0 : loop.nanoTime() - arrivalNanos;
  }

  /** When the call arrived, by the clock of the loop. */
  long arrivalNanos() {
    return arrivalNanos;
  }

  boolean isOver() {
    return limitNanos != EffectiveTimeout.NONE && elapsedNanos() >= limitNanos;
  }

  /** The {@code grpc-timeout} that goes upstream: what is left; null without a limit (A31-37). */
  @Nullable HeaderField header() {
    if (limitNanos == EffectiveTimeout.NONE) {
      return null;
    }
    return justArrived
        ? loop.timeouts().ofLimit(limitNanos)
        : TimeoutFields.of(Math.max(1, limitNanos - elapsedNanos()));
  }

  void cancel() {
    loop.deadlines().disarm(this);
  }

  @Override
  void onDeadline() {
    call.onDeadline();
  }
}
