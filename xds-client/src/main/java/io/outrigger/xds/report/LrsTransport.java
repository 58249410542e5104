package io.outrigger.xds.report;

import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsResponse;
import io.outrigger.base.RpcStatus;

/** Opens streams of load reports to one server. The transport is used on the control loop. */
public interface LrsTransport {
  /** Opens a stream. {@code listener} is not called before this method returns. */
  LrsStream open(Listener listener);

  /** Receives the events of one stream, on the control loop. */
  interface Listener {
    /** Called when all queued requests were sent, as {@code AdsTransport.Listener.onReady} is. */
    void onReady();

    void onResponse(LoadStatsResponse response);

    /** Called when the stream has ended, as the last event; {@code reason} may be OK. */
    void onClosed(RpcStatus reason);
  }
}
