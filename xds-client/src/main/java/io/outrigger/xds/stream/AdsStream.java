package io.outrigger.xds.stream;

import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;

/** The sending half of one ADS stream. Used on the control loop; never blocks. */
public interface AdsStream {
  /** Sends, or queues until the stream is ready; ignored once the stream is closed. */
  void send(DiscoveryRequest request);

  /**
   * Whether the transport takes more at once: everything that was sent is on its way. False until
   * the stream is attached to a connection; {@link AdsTransport.Listener#onReady} follows later.
   */
  boolean isReady();

  /** Permits one more response to be read; a new stream reads none by itself (A57-33). */
  void requestNext();

  /** Ends the stream. The listener may still be told {@code onClosed}, once at most. */
  void close();
}
