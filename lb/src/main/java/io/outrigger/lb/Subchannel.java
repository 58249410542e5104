package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.state.SubchannelCalls;
import org.jspecify.annotations.Nullable;

/**
 * One or more connections to one address, as policies see them. A node that counts calls wraps the
 * subchannels of its children (decision lb-0001); the wrapper forwards all other methods. Methods
 * must run on the control loop, unless their javadoc names another thread.
 */
public interface Subchannel {
  /** The endpoint with its locality and priority. Any thread may call this method. */
  Backend backend();

  EndpointAddress address();

  /** Begins to connect when the subchannel is IDLE; otherwise does nothing. */
  void requestConnection();

  /** Closes the subchannel: the connection closes when its streams have ended. */
  void close();

  /**
   * Sets how many connections the subchannel may have (A105 {@code
   * max_connections_per_subchannel}); the limit may change at any time.
   *
   * @param max an unsigned 32-bit number, at least 1; the default is 1
   */
  default void limitConnections(long max) {}

  /**
   * The live transport; null while the subchannel has no connection. Any thread may call this
   * method, at the cost of one volatile read.
   */
  @Nullable Transport transport();

  /**
   * Called when a pick chose this subchannel. The tree calls this on the call's event loop, once
   * per {@link PickResult.Use} that it returns.
   */
  default void callStarted(PickContext call) {}

  /**
   * Called when a picked call has ended, or was never sent. The receiver of the {@link
   * PickResult.Use} must call this method exactly once, on the call's event loop.
   */
  void callEnded(PickContext call, CallOutcome outcome);

  /** Whether load reports that responses carry are used; called on an event loop. */
  default boolean wantsBackendMetrics() {
    return false;
  }

  /**
   * Called when a response carried a load report (A51). The caller runs on the call's event loop,
   * checks {@link #wantsBackendMetrics} first, and calls {@link #callEnded} afterwards.
   */
  default void onBackendMetrics(PickContext call, BackendMetrics report) {}

  /** The counts of the subchannel's calls, for status views. */
  default SubchannelCalls calls() {
    return SubchannelCalls.NONE;
  }

  /**
   * The leaf cluster to which the endpoint belongs (A89), and its resolution note (A88); both are
   * empty for subchannels beneath the node that knows the cluster. Any thread may call this method.
   */
  default FailureNote note() {
    return FailureNote.NONE;
  }

  /** Called when the locality, priority or weight of the endpoint has changed. */
  default void update(Backend backend) {}

  /** Receives the states of a subchannel, on the control loop. */
  @ControlConfined
  interface Listener {
    /**
     * @param reason the cause when {@code state} is TRANSIENT_FAILURE, otherwise OK
     */
    void onState(Connectivity state, RpcStatus reason);

    /**
     * A connection was made, lost or changed; the event is independent of states, and never follows
     * the close.
     */
    default void onConnection(ConnectionEvent event) {}
  }
}
