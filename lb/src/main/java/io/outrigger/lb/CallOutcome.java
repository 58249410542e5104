package io.outrigger.lb;

/** How an attempt ended, as balancing counts it (A50-12 to A50-15). */
public enum CallOutcome {
  /** gRPC status OK; for plain HTTP a {@code :status} below 500 and a clean end. */
  SUCCESS,
  /** Any other end, cancellation included (decision: parity with gRPC). */
  FAILURE,
  /** The subchannel was picked but never saw the call: it counts as nothing. */
  NOT_SENT
}
