package io.outrigger.xds.stream;

import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;

/** The sending half of one ADS stream. Used on the control loop; never blocks. */
public interface AdsStream {
  /**
   * Sends {@code request}, or queues it until the stream is ready. Ignored after the stream is
   * closed.
   */
  void send(DiscoveryRequest request);

  /**
   * Whether the transport can send more at once, because everything sent before is on its way.
   * False until the stream is attached to a connection; {@link AdsTransport.Listener#onReady}
   * follows later.
   */
  boolean isReady();

  /**
   * Permits one more response to be read. A new stream reads no response before this call (A57-33).
   */
  void requestNext();

  /** Ends the stream. The listener may still receive {@code onClosed}, at most once. */
  void close();
}
