package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.state.ConnectionEvent;

/** The seam to sockets: the proxy implements it over Netty, tests with a fake. */
@ControlConfined
public interface Connector {
  /**
   * Starts one attempt to connect to {@code address}; it fails by itself after its time-out.
   *
   * @param maxConnections see {@link Attempt#limitConnections}
   */
  Attempt connect(EndpointAddress address, int maxConnections, Listener listener);

  /**
   * The same for the subchannels of one cluster of a target, which has an object of its own; a
   * connector that treats all alike has nothing to do.
   *
   * @param cluster the root of their tree
   */
  default Connector ofCluster(String cluster) {
    return this;
  }

  /**
   * The same for the subchannels of one endpoint, so that status views can name the endpoint of a
   * connection. A connector that shows none has nothing to do.
   *
   * @param endpoint the endpoint's first address
   */
  default Connector ofEndpoint(EndpointAddress endpoint) {
    return this;
  }

  /**
   * Calls wait for a connection of the cluster that this is for: its attempts come before those for
   * which no call waits. A connector that begins every attempt at once has nothing to do.
   */
  default void onAwaited() {}

  /** A connection, being made or made. */
  interface Attempt {
    /** Gives it up: an attempt is aborted, a live connection drains its streams, then closes. */
    void close();

    /**
     * How many connections there may be, at least 1 (A105): more than the first only while calls
     * wait because the peer admits no more streams. Lowering it closes none. A connector that never
     * makes more than one has nothing to do.
     */
    default void limitConnections(int max) {}
  }

  /**
   * How a connection ended, as far as it says whether the next one will work (decision lb-0026).
   */
  enum Ending {
    /** It has answered a call, or answers those that are open after an end in order. */
    SERVED,
    /** It ended in order (GOAWAY with NO_ERROR) before any call was given to it. */
    UNUSED,
    /** Any other: it ended in disorder, or refused every call, before it answered any. */
    BROKEN
  }

  /**
   * Receives the events of an attempt; on the control loop, never before {@code connect} returns.
   */
  interface Listener {
    /** The attempt begins only now, others were before it; at most once. */
    default void onBegun() {}

    /** Ready for streams: the peer's SETTINGS arrived (SC-51). At most once. */
    void onReady(Transport transport);

    /**
     * No further streams will be accepted: the attempt failed, or the connection was closed or told
     * to go away. Once, and the last call.
     *
     * @param reason for people; never OK; need not name the address
     * @param ending BROKEN for an attempt that failed
     */
    void onClosed(RpcStatus reason, Ending ending);

    /**
     * After {@link #onClosed} of an attempt that could not even begin: now it could, and waiting
     * for the end of the back-off is in vain (A29-14). At most once.
     */
    default void onRemedied() {}

    /**
     * One of the connections, the first or a further one, was made, lost or changed. Also after
     * {@link #onClosed}: the others end then.
     */
    default void onConnection(ConnectionEvent event) {}
  }
}
