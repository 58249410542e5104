package io.outrigger.dataplane.calls;

import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.http2.HeaderList;

/**
 * The spans of one gRPC call: one for the call, and a child span for each attempt (A72 "Tracing
 * Information"). The methods are called on the call's event loop in the order of events;
 * implementations must not block.
 */
@LoopConfined
public interface CallSpans {
  CallSpans NONE = new CallSpans() {};

  /** Called when the call stops waiting for its configuration. */
  default void resolutionDelayed() {}

  /**
   * Called when the pick for a new attempt begins.
   *
   * @param previousAttempts the number of previous attempts that the retry policy counts
   * @param transparent whether this is a transparent retry of a refused attempt
   */
  default void attemptBegins(int previousAttempts, boolean transparent) {}

  /** Called when an attempt's stream opens after a wait for a pick or a connection. */
  default void pickDelayed() {}

  /** The header fields that carry the trace context of the attempt to the backend. */
  default HeaderList context() {
    return HeaderList.EMPTY;
  }

  /**
   * Called when a message begins, after its length prefix was relayed.
   *
   * @param isRequest whether the message goes to the backend
   * @param sequence the number of the message within its attempt, from 0
   * @param bytes the length of the message without its prefix
   */
  default void message(boolean isRequest, long sequence, long bytes, boolean isCompressed) {}

  /** Called when the call or its attempt starts to wait (A121 "Tracing Schema"). */
  default void delayBegins(boolean ofAttempt, String type, String reason) {}

  /** Called when the current delay has a new reason but the same type. */
  default void delayReason(String reason) {}

  /** Called when the current delay ends and its attempt or call continues. */
  default void delayEnds() {}

  default void attemptFailed(RpcStatus failure) {}

  default void ended(RpcStatus status) {}
}
