package io.outrigger.xds.stream;

import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;

/** The sending half of one ADS stream. Used on the control loop; never blocks. */
public interface AdsStream {
  /** Sends, or queues until the stream is ready; ignored once the stream is closed. */
  void send(DiscoveryRequest request);

  /** Permits one more response to be read; a new stream reads none by itself (A57-33). */
  void requestNext();

  /** Ends the stream. The listener may still be told {@code onClosed}, once at most. */
  void close();
}
