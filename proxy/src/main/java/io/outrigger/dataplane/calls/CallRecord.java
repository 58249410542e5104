package io.outrigger.dataplane.calls;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.dataplane.filter.LocalReason;
import io.outrigger.dataplane.route.EffectiveTimeout;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * An ended call, for the access log. Event loops only create the records; the threads that read the
 * records convert values to text.
 *
 * @param forward the name of the {@code --forward} or {@code --serve} that received the call
 * @param endMillis the end of the call, in milliseconds since 1970
 * @param authority the {@code :authority} that the app sent; may be empty
 * @param route the name of the route; empty when the route has no name or the call was not routed
 * @param endpoint the address of the last attempt
 * @param priority the priority of the locality in its cluster; 0 is the highest
 * @param attempts the number of picks that returned a backend
 * @param code the gRPC status code; CANCELLED when the app cancelled the call. For a request that
 *     is not gRPC, the code is OK or describes the proxy's failure
 * @param httpStatus the {@code :status} that the app received; 0 when the app received none
 * @param localReason why the proxy itself answered the call; empty when a backend answered
 * @param timeoutNanos the time limit of the call, or {@link EffectiveTimeout#NONE}
 * @param traceparent the app's {@code traceparent} (W3C Trace Context); may be empty
 * @param peer the caller of a {@code --serve}; null for calls of a {@code --forward}
 * @param policy the RBAC policy that decided about the call; null when no policy decided
 */
public record CallRecord(
    String forward,
    long endMillis,
    long durationNanos,
    CharSequence method,
    String path,
    CharSequence authority,
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
    CharSequence traceparent,
    @Nullable PeerIdentity peer,
    @Nullable String policy) {
  /** The total length of the request's method, path, authority and {@code traceparent}. */
  public int textLength() {
    return method.length() + path.length() + authority.length() + traceparent.length();
  }
}
