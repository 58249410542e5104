package io.outrigger.xds.report;

import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsRequest;

/**
 * The sending half of one stream of load reports. The methods are called on the control loop and
 * never block.
 */
public interface LrsStream {
  /**
   * Sends a request, or queues the request until the stream is ready. Does nothing once the stream
   * is closed.
   */
  void send(LoadStatsRequest request);

  /** Whether the queue of requests is empty, so that a request is sent at once. */
  boolean isReady();

  /**
   * Permits the stream to read one more response. A new stream reads no response without this call.
   */
  void requestNext();

  /**
   * Half-closes the stream: the server ends the stream after the last request. No request may be
   * sent afterwards.
   */
  void finish();

  /** Ends the stream. The listener's {@code onClosed} may still be called once. */
  void close();
}
