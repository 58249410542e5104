package io.outrigger.lb;

/** How an attempt ended, as balancing counts it (A50-12 to A50-15). */
public enum CallOutcome {
  /** gRPC status OK; for plain HTTP a {@code :status} below 500 and a clean end. */
  SUCCESS,
  /**
   * Any other end, cancellation and deadline included, also while the call waited for a stream or a
   * connection of the subchannel (decision: parity with gRPC).
   */
  FAILURE,
  /**
   * The subchannel was picked but never saw the call: the call goes on with another pick, or the
   * proxy had no room for it. Not counted as a call.
   */
  NOT_SENT
}
