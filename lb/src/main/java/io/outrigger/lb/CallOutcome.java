package io.outrigger.lb;

/** The end of an attempt, as load balancing classifies it (A50-12 to A50-15). */
public enum CallOutcome {
  /**
   * The attempt ended with gRPC status OK. Or, for plain HTTP, it ended with a {@code :status}
   * below 500 and a clean end of stream.
   */
  SUCCESS,
  /**
   * The attempt ended in any other way. As in gRPC, cancelled and expired attempts are failures,
   * even if the attempt still waited for a stream or a connection of the subchannel.
   */
  FAILURE,
  /**
   * The call was never sent to the picked subchannel: it is picked again, or the proxy lacks
   * resources for it. The attempt is not counted as a call.
   */
  NOT_SENT
}
