package io.outrigger.proxy.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.proxy.http2.HeaderField;
import io.outrigger.proxy.http2.KnownName;
import io.outrigger.proxy.route.EffectiveTimeout;
import io.outrigger.proxy.route.GrpcTimeout;
import org.jspecify.annotations.Nullable;

/** A call's time, from the arrival of its headers (A31-31). */
@LoopConfined
final class CallDeadline extends DeadlineTimers.Entry {
  private static final long FARTHEST = Long.MAX_VALUE / 4;

  private final CallLoop loop;
  private final ForwardedCall call;
  private final long arrivalNanos;
  private long limitNanos = EffectiveTimeout.NONE;

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

  /** How long the call has taken. */
  long elapsedNanos() {
    return loop.nanoTime() - arrivalNanos;
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
    return limitNanos == EffectiveTimeout.NONE
        ? null
        : HeaderField.of(
            KnownName.GRPC_TIMEOUT, GrpcTimeout.format(Math.max(1, limitNanos - elapsedNanos())));
  }

  void cancel() {
    loop.deadlines().disarm(this);
  }

  @Override
  void onDeadline() {
    call.onDeadline();
  }
}
