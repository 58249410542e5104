package io.outrigger.xds.report;

import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsRequest;

/** The sending half of one stream of load reports. Used on the control loop; never blocks. */
public interface LrsStream {
  /** Sends, or queues until the stream is ready; ignored once the stream is closed. */
  void send(LoadStatsRequest request);

  /** Whether everything that was sent is on its way. */
  boolean isReady();

  /** Permits one more response to be read; a new stream reads none by itself. */
  void requestNext();

  /**
   * Says that nothing more will be sent: the server ends the stream when it has all. Nothing may be
   * sent afterwards.
   */
  void finish();

  /** Ends the stream. The listener may still be told {@code onClosed}, once at most. */
  void close();
}
