package io.outrigger.xds.report;

import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsResponse;
import io.outrigger.base.RpcStatus;

/** The seam to one server of load reports. Used on the control loop. */
public interface LrsTransport {
  /** Opens a stream. {@code listener} is not called before this returns. */
  LrsStream open(Listener listener);

  /** Hears of one stream, on the control loop. */
  interface Listener {
    /** As {@code AdsTransport.Listener.onReady}: what was sent is on its way. */
    void onReady();

    void onResponse(LoadStatsResponse response);

    /** The stream is over, nothing follows; {@code reason} may be OK. */
    void onClosed(RpcStatus reason);
  }
}
