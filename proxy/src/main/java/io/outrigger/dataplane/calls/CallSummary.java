package io.outrigger.dataplane.calls;

import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.dataplane.route.EffectiveTimeout;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The summary of an ended call for observers. Valid only during the callback. */
@LoopConfined
public interface CallSummary {
  /** The index of the event loop on which the call ran. */
  int loop();

  CharSequence method();

  String path();

  /** The {@code :authority} that the app sent; may be empty. */
  CharSequence authority();

  boolean isGrpc();

  /**
   * The gRPC status code. For a request that is not gRPC, OK or the code of the failure; CANCELLED
   * when the app cancelled the call.
   */
  RpcStatus.Code code();

  /** The {@code :status} that the app received; 0 when it received none. */
  int httpStatus();

  /** Why the proxy answered the call itself; empty when a backend answered. */
  Optional<LocalReason> localReason();

  /** The xDS target as configured; empty when the call ended before it had a target. */
  String target();

  /** The index of the route in its virtual host; -1 when the call was not routed. */
  int routeIndex();

  /** The name of the route; empty when the route has no name or the call was not routed. */
  Optional<String> route();

  /** The cluster that routing chose; empty when the call was not routed to a cluster. */
  default Optional<String> cluster() {
    return Optional.ofNullable(clusterName());
  }

  /** Same as {@link #cluster}, but null when absent. */
  @Nullable String clusterName();

  /** The address of the last attempt; empty without an attempt. */
  default Optional<String> endpoint() {
    return Optional.ofNullable(address()).map(EndpointAddress::toString);
  }

  /** Same as {@link #endpoint}, without conversion to text; null without an attempt. */
  @Nullable EndpointAddress address();

  /** The locality of the last attempt's endpoint; empty without an attempt. */
  Optional<Locality> locality();

  /**
   * The priority of {@link #locality} in its cluster, where 0 is the highest; empty without an
   * attempt.
   */
  OptionalInt priority();

  /** The number of attempts: picks that returned a backend. */
  int attempts();

  /** The duration of the call from the arrival of its headers. */
  long durationNanos();

  /**
   * The time limit of the call from the arrival of its headers; {@code Long.MAX_VALUE} for no
   * limit.
   */
  long timeoutNanos();

  /**
   * The configuration field that set the route's time limit; empty when the call was not routed.
   */
  Optional<EffectiveTimeout.Source> limitSource();

  /** The end of the call by a monotonic clock; only differences between calls are meaningful. */
  long endedNanos();

  /** The app's {@code traceparent} (W3C Trace Context); may be empty. */
  CharSequence traceparent();

  /** The caller of a served address; null for calls of a forward. */
  @Nullable PeerIdentity peer();

  /** The RBAC policy that decided about the call; null when none did. */
  @Nullable String policy();

  long requestBytes();

  long responseBytes();
}
