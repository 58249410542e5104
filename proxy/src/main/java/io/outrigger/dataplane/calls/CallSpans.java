package io.outrigger.dataplane.calls;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.http2.HeaderList;

/**
 * The spans of one gRPC call: one for the call and, below it, one for each attempt (A72 "Tracing
 * Information"). Hears of what happens in order, on the call's event loop; does not block.
 */
@LoopConfined
public interface CallSpans {
  /** A call that nobody traces. */
  CallSpans NONE = new CallSpans() {};

  /** The call had to wait for its configuration, and has it now. */
  default void resolutionDelayed() {}

  /**
   * A pick for a new attempt begins.
   *
   * @param previousAttempts that the route's policy counts
   * @param transparent whether the last one was refused before a backend did anything
   */
  default void attemptBegins(int previousAttempts, boolean transparent) {}

  /** The attempt's stream is open after it had to wait for a pick or a connection. */
  default void pickDelayed() {}

  /** What tells the backend of the attempt's span; the app's fields of these names are left out. */
  default HeaderList context() {
    return HeaderList.EMPTY;
  }

  /** Body bytes on their way to the backend; {@code data} stays the caller's. */
  default void outbound(ByteBuf data) {}

  /** Body bytes on their way to the app; {@code data} stays the caller's. */
  default void inbound(ByteBuf data) {}

  /**
   * The call, or its attempt, waits (A121 "Tracing Schema").
   *
   * @param type what for, one of few words
   * @param reason the same for people
   */
  default void delayBegins(boolean ofAttempt, String type, String reason) {}

  /** It still waits for the same, and there is more to say of it. */
  default void delayReason(String reason) {}

  /** It waits no longer; a wait that is open when its attempt or call ends, ends with it. */
  default void delayEnds() {}

  /** The attempt failed, and another follows. */
  default void attemptFailed(RpcStatus failure) {}

  /** The call and its last attempt are over. */
  default void ended(RpcStatus status) {}
}
