package io.outrigger.lb;

/** The end of an attempt, as load balancing classifies it (A50-12 to A50-15). */
public enum CallOutcome {
  /**
   * The attempt ended with gRPC status OK. A request that is not gRPC ended with a {@code :status}
   * below 500 and END_STREAM.
   */
  SUCCESS,
  /**
   * The attempt ended without success. As in gRPC, cancelled and expired attempts are failures,
   * including attempts that still waited for a stream or a connection of the subchannel.
   */
  FAILURE,
  /**
   * The attempt was never sent to the picked subchannel, because another subchannel is picked for
   * the call, or because the proxy lacks resources. The attempt is not counted as a call.
   */
  NOT_SENT
}
