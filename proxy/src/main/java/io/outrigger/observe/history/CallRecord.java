package io.outrigger.observe.history;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.dataplane.calls.CallSummary;
import io.outrigger.dataplane.calls.LocalReason;
import io.outrigger.dataplane.route.EffectiveTimeout;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * An ended call and its routing decision, for the access log and for {@code /explain?last=true}.
 * Event loops create these records, and many are never read; so conversions, above all to text, are
 * left to the reader.
 *
 * @param endMillis the end of the call, in milliseconds since 1970
 * @param routeIndex the index of the route; -1 when the call was not routed
 * @param timeoutNanos the time limit of the call, or {@link EffectiveTimeout#NONE}
 * @param peer the caller of a served address; null for calls of a forward
 * @param policy the RBAC policy that decided about the call; null when none did
 */
@AnyThread
public record CallRecord(
    String forward,
    long endMillis,
    long durationNanos,
    CharSequence method,
    String path,
    CharSequence authority,
    String target,
    int routeIndex,
    Optional<String> route,
    Optional<String> cluster,
    Optional<EndpointAddress> endpoint,
    Optional<Locality> locality,
    OptionalInt priority,
    int attempts,
    boolean isGrpc,
    RpcStatus.Code code,
    int httpStatus,
    Optional<LocalReason> localReason,
    long requestBytes,
    long responseBytes,
    long timeoutNanos,
    Optional<EffectiveTimeout.Source> limitSource,
    CharSequence traceparent,
    @Nullable PeerIdentity peer,
    @Nullable String policy) {
  public static CallRecord of(String forward, CallSummary call, long endMillis) {
    return new CallRecord(
        forward,
        endMillis,
        call.durationNanos(),
        call.method(),
        call.path(),
        call.authority(),
        call.target(),
        call.routeIndex(),
        call.route(),
        call.cluster(),
        Optional.ofNullable(call.address()),
        call.locality(),
        call.priority(),
        call.attempts(),
        call.isGrpc(),
        call.code(),
        call.httpStatus(),
        call.localReason(),
        call.requestBytes(),
        call.responseBytes(),
        call.timeoutNanos(),
        call.limitSource(),
        call.traceparent(),
        call.peer(),
        call.policy());
  }
}
