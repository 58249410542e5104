package io.outrigger.xds;

import io.outrigger.base.RpcStatus;

/**
 * The sending side of one stream to a server, for resources (ADS) or load reports (LRS). Methods
 * are called on the control loop and never block.
 */
public interface ServerStream<Q> {
  /** Sends or queues a request. Does nothing after the stream is closed. */
  void send(Q request);

  /**
   * Whether another request would be sent immediately: the stream is attached to a connection, and
   * all earlier requests have been written.
   */
  boolean isReady();

  /**
   * Allows the transport to read one more response. A new stream reads no response before the first
   * call of this method (A57-33).
   */
  void requestNext();

  /** Ends the stream. The listener may still receive queued events and {@code onClosed}. */
  void close();

  interface Listener<R> {
    /** Called whenever {@link ServerStream#isReady} becomes true. */
    void onReady();

    void onResponse(R response);

    /** The last event of the stream; {@code reason} may be OK. */
    void onClosed(RpcStatus reason);
  }
}
