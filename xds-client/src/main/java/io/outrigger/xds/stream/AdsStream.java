package io.outrigger.xds.stream;

import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;

/** The sending half of one ADS stream. Used on the control loop; never blocks. */
public interface AdsStream {
  /**
   * Sends a request, or queues the request until the stream is ready. Does nothing after the stream
   * is closed.
   */
  void send(DiscoveryRequest request);

  /**
   * Whether the transport can send another request at once, because all earlier requests are on
   * their way. Returns false until the stream is attached to a connection, which {@link
   * AdsTransport.Listener#onReady} reports.
   */
  boolean isReady();

  /**
   * Allows the transport to read one more response. A new stream reads no response before the first
   * call of this method (A57-33).
   */
  void requestNext();

  /** Ends the stream. The listener may still receive {@code onClosed}, at most once. */
  void close();
}
