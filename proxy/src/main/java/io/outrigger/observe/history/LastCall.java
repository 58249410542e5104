package io.outrigger.observe.history;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.dataplane.calls.CallSummary;
import io.outrigger.dataplane.calls.LocalReason;
import io.outrigger.dataplane.route.EffectiveTimeout;
import java.util.Optional;

/**
 * An ended call and its routing decision. Event loops create these records, and most are never
 * read; so conversions, above all to text, are left to the reader.
 *
 * @param endedMillis the end of the call, in milliseconds since 1970
 * @param routeIndex the index of the route; -1 when the call was not routed
 * @param limitNanos the time limit of the call, or {@link EffectiveTimeout#NONE}
 */
@AnyThread
public record LastCall(
    long endedMillis,
    String method,
    String path,
    String target,
    int routeIndex,
    Optional<String> route,
    Optional<String> cluster,
    Optional<EndpointAddress> endpoint,
    Optional<Locality> locality,
    int attempts,
    RpcStatus.Code code,
    int httpStatus,
    Optional<LocalReason> localReason,
    long durationNanos,
    long limitNanos,
    Optional<EffectiveTimeout.Source> limitSource) {
  static LastCall of(CallSummary call, long endedMillis) {
    return new LastCall(
        endedMillis,
        call.method().toString(),
        call.path(),
        call.target(),
        call.routeIndex(),
        call.route(),
        call.cluster(),
        Optional.ofNullable(call.address()),
        call.locality(),
        call.attempts(),
        call.code(),
        call.httpStatus(),
        call.localReason(),
        call.durationNanos(),
        call.timeoutNanos(),
        call.limitSource());
  }
}
