package io.outrigger.dataplane.calls;

import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.dataplane.route.EffectiveTimeout;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** A call as its observer sees it, at its end. Valid only during the callback. */
@LoopConfined
public interface CallSummary {
  /** The event loop that it ran on. */
  int loop();

  CharSequence method();

  String path();

  /** What the app sent as {@code :authority}; may be empty. */
  CharSequence authority();

  boolean isGrpc();

  /** The gRPC status; for other requests what the proxy made of it. CANCELLED: the app left. */
  RpcStatus.Code code();

  /** The {@code :status} that the app got; 0 for none. */
  int httpStatus();

  /** Why the proxy answered itself; empty when a backend did. */
  Optional<LocalReason> localReason();

  /** The xDS target as configured; empty when it did not come to that. */
  String target();

  /** The place of the route in its virtual host; -1 when it did not come to that. */
  int routeIndex();

  /** The name of the route; empty when it has none, or when it did not come to that. */
  Optional<String> route();

  /** The cluster that routing chose; empty when it did not come to that. */
  Optional<String> cluster();

  /** The same; null when it did not come to that. */
  @Nullable String clusterName();

  /** The address of the last attempt; empty when there was none. */
  Optional<String> endpoint();

  /** The same without a text being made; null when there was none. */
  @Nullable EndpointAddress address();

  /** Where the endpoint of the last attempt stands; empty when there was none. */
  Optional<Locality> locality();

  /** The priority of that locality in its cluster, 0 the highest; empty when there was none. */
  OptionalInt priority();

  /** How many picks gave a backend. */
  int attempts();

  /** From the arrival of the headers. */
  long durationNanos();

  /** The time that the call had, from the same moment; {@code Long.MAX_VALUE} for no limit. */
  long timeoutNanos();

  /** The field that gave the route's own limit; empty when it did not come to that. */
  Optional<EffectiveTimeout.Source> limitSource();

  /** When it ended; only differences mean something. */
  long endedNanos();

  /** The app's {@code traceparent} (W3C Trace Context); may be empty. */
  CharSequence traceparent();

  long requestBytes();

  long responseBytes();
}
