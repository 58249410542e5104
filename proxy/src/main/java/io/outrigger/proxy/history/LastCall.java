package io.outrigger.proxy.history;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.proxy.forward.FinishedCall;
import io.outrigger.proxy.forward.LocalReason;
import io.outrigger.proxy.route.EffectiveTimeout;
import java.time.Instant;
import java.util.Optional;

/**
 * A call that was made, and what was decided about it.
 *
 * @param routeIndex -1 when it was not routed
 * @param limitMillis the time that it had; empty for no limit
 */
@AnyThread
public record LastCall(
    Instant ended,
    String method,
    String path,
    String target,
    int routeIndex,
    Optional<String> route,
    Optional<String> cluster,
    Optional<String> endpoint,
    Optional<String> locality,
    int attempts,
    RpcStatus.Code code,
    int httpStatus,
    Optional<LocalReason> localReason,
    double durationMillis,
    Optional<Long> limitMillis,
    Optional<String> limitSource) {
  static LastCall of(FinishedCall call, Instant ended) {
    return new LastCall(
        ended,
        call.method().toString(),
        call.path(),
        call.target(),
        call.routeIndex(),
        call.route(),
        call.cluster(),
        call.endpoint(),
        call.locality(),
        call.attempts(),
        call.code(),
        call.httpStatus(),
        call.localReason(),
        call.durationNanos() / 1e6,
        call.timeoutNanos() == EffectiveTimeout.NONE
            ? Optional.empty()
            : Optional.of(call.timeoutNanos() / 1_000_000),
        call.limitSource());
  }
}
