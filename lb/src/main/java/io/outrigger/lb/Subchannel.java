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
 * The connections to one address, in the form that policies use. A node that counts calls wraps the
 * subchannels of its children (decision lb-0001). The wrapper overrides methods such as {@link
 * #callEnded}, and forwards all other methods to the wrapped subchannel. Methods must run on the
 * control loop, unless their javadoc names another thread.
 */
public interface Subchannel {
  /** The endpoint with its locality and priority. Any thread may call this method. */
  Backend backend();

  EndpointAddress address();

  /** Starts a connection attempt if the subchannel is IDLE; otherwise does nothing. */
  void requestConnection();

  /** Closes the subchannel. Each connection drains its streams before it closes. */
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
   * Called by the tree, on the call's event loop, each time that a pick returns a {@link
   * PickResult.Use} for this subchannel.
   */
  default void callStarted(PickContext call) {}

  /**
   * Called when a call for which the subchannel was picked has ended or was never sent. The
   * receiver of the {@link PickResult.Use} must call {@code callEnded} exactly once, on the call's
   * event loop.
   */
  void callEnded(PickContext call, CallOutcome outcome);

  /** Whether the subchannel uses the load reports in responses; called on an event loop. */
  default boolean wantsBackendMetrics() {
    return false;
  }

  /**
   * Called on the call's event loop when a response contained a load report (A51). The caller
   * checks {@link #wantsBackendMetrics} before it calls {@code onBackendMetrics}, and calls {@link
   * #callEnded} afterwards.
   */
  default void onBackendMetrics(PickContext call, BackendMetrics report) {}

  /** The counts of the subchannel's calls, for status views. */
  default SubchannelCalls calls() {
    return SubchannelCalls.NONE;
  }

  /**
   * The leaf cluster of the endpoint (A89), and the cluster's resolution note (A88). Returns {@link
   * FailureNote#NONE} if no cluster_impl node wraps the subchannel. Any thread may call this
   * method.
   */
  default FailureNote note() {
    return FailureNote.NONE;
  }

  default void update(Backend backend) {}

  @ControlConfined
  interface Listener {
    /**
     * @param reason the cause when {@code state} is TRANSIENT_FAILURE, otherwise OK
     */
    void onState(Connectivity state, RpcStatus reason);

    /**
     * Called for each event of the subchannel's connections. This method may be called in any
     * connectivity state, but not after {@link #close}.
     */
    default void onConnection(ConnectionEvent event) {}
  }
}
