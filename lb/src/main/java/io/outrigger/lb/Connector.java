package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.state.ConnectionEvent;

/** Opens connections. The proxy implements {@code Connector} with Netty; tests use a fake. */
@ControlConfined
public interface Connector {
  /**
   * Starts one attempt to connect to {@code address}; the attempt has its own timeout.
   *
   * @param maxConnections see {@link Attempt#limitConnections}
   */
  Attempt connect(EndpointAddress address, int maxConnections, Listener listener);

  /**
   * Returns the connector for the subchannels of one cluster of a target. A connector that does not
   * distinguish clusters returns itself.
   *
   * @param cluster the name of the cluster at the root of the load-balancing tree
   */
  default Connector ofCluster(String cluster) {
    return this;
  }

  /**
   * Returns the connector for the subchannels of one endpoint, so that status views can name the
   * endpoint of a connection. A connector without status views returns itself.
   *
   * @param endpoint the endpoint's first address
   */
  default Connector ofEndpoint(EndpointAddress endpoint) {
    return this;
  }

  /**
   * Called when calls wait for a connection of this connector's cluster. The queued connection
   * attempts of the cluster then start before the attempts of clusters without waiting calls. A
   * connector without a queue does nothing.
   */
  default void onCallsWaiting() {}

  /** A connection that is being made or has been made. */
  interface Attempt {
    /**
     * Closes the attempt or connection: an attempt is aborted, a live connection drains its
     * streams, then closes.
     */
    void close();

    /**
     * Sets the maximum number of the attempt's connections, at least 1 (A105). A further connection
     * is made only if calls wait because no connection has a free stream. Lowering the limit closes
     * no connection. A connector that makes only one connection ignores this maximum.
     */
    default void limitConnections(int max) {}
  }

  /**
   * Classifies the end of a connection by whether the next connection is likely to work (decision
   * lb-0026).
   */
  enum Ending {
    /** The connection answered a call, or still answers open calls after a graceful GOAWAY. */
    SERVED,
    /** The connection ended with a graceful GOAWAY (NO_ERROR) before any call was sent on it. */
    UNUSED,
    /** The attempt failed, or the connection ended before it had answered any call. */
    BROKEN
  }

  /**
   * Receives the events of an attempt; called on the control loop, never before {@code connect}
   * returns.
   */
  interface Listener {
    /** Called at most once, when an attempt that was queued behind other attempts begins. */
    default void onStarted() {}

    /**
     * Called at most once, when the connection accepts streams because the peer's SETTINGS frame
     * has arrived (SC-51).
     */
    void onReady(Transport transport);

    /**
     * The attempt has failed, or the connection accepts no further streams because it was closed or
     * the peer sent GOAWAY. {@code onClosed} is called once; only {@link #onRemedied} and {@link
     * #onConnection} may follow it.
     *
     * @param reason the error, a status other than OK whose message may omit the address
     * @param ending how the connection ended, or BROKEN for a failed attempt
     */
    void onClosed(RpcStatus reason, Ending ending);

    /**
     * Called at most once, after {@link #onClosed}, when the cause that prevented the attempt is
     * removed. A new attempt can then begin before the end of the back-off (A29-14).
     */
    default void onRemedied() {}

    /**
     * Called for each event of the attempt's connections. A connection may stay open after {@link
     * #onClosed}; the end of this connection is then reported too.
     */
    default void onConnection(ConnectionEvent event) {}
  }
}
