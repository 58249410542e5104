package io.outrigger.proxy.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import java.util.Optional;
import java.util.OptionalInt;

/** A call as its observer sees it, at its end. Valid only during the callback. */
@LoopConfined
public interface FinishedCall {
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

  /** The name of the route; empty when it has none, or when it did not come to that. */
  Optional<String> route();

  /** The cluster that routing chose; empty when it did not come to that. */
  Optional<String> cluster();

  /** The address of the last attempt; empty when there was none. */
  Optional<String> endpoint();

  /** Where the endpoint of the last attempt stands; empty when there was none. */
  Optional<String> locality();

  /** The priority of that locality in its cluster, 0 the highest; empty when there was none. */
  OptionalInt priority();

  /** How many picks gave a backend. */
  int attempts();

  /** From the arrival of the headers. */
  long durationNanos();

  /** The time that the call had, from the same moment; {@code Long.MAX_VALUE} for no limit. */
  long timeoutNanos();

  /** The app's {@code traceparent} (W3C Trace Context); may be empty. */
  CharSequence traceparent();

  long requestBytes();

  long responseBytes();
}
