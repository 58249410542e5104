package io.outrigger.observe.access;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.dataplane.calls.CallSummary;
import io.outrigger.dataplane.calls.LocalReason;
import io.outrigger.dataplane.route.EffectiveTimeout;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The access log entry of one request.
 *
 * @param endMillis the end of the request, in milliseconds since 1970
 * @param timeoutNanos the time limit of the request, or {@link EffectiveTimeout#NONE}
 */
record AccessEntry(
    String forward,
    long endMillis,
    long durationNanos,
    CharSequence method,
    String path,
    CharSequence authority,
    Optional<String> route,
    Optional<String> cluster,
    Optional<Locality> locality,
    OptionalInt priority,
    Optional<String> upstream,
    int attempts,
    boolean grpc,
    RpcStatus.Code code,
    int httpStatus,
    Optional<LocalReason> reason,
    long requestBytes,
    long responseBytes,
    long timeoutNanos,
    CharSequence traceparent) {
  static AccessEntry of(String forward, CallSummary call, long endMillis) {
    return new AccessEntry(
        forward,
        endMillis,
        call.durationNanos(),
        call.method(),
        call.path(),
        call.authority(),
        call.route(),
        call.cluster(),
        call.locality(),
        call.priority(),
        call.endpoint(),
        call.attempts(),
        call.isGrpc(),
        call.code(),
        call.httpStatus(),
        call.localReason(),
        call.requestBytes(),
        call.responseBytes(),
        call.timeoutNanos(),
        call.traceparent());
  }
}
