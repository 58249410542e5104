package io.outrigger.xds.report;

import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsRequest;
import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsResponse;
import io.outrigger.xds.ServerStream;

/** Opens streams of load reports to one server. The transport is used on the control loop. */
public interface LrsTransport {
  /** Opens a stream. The listener is called only after this method has returned. */
  ServerStream<LoadStatsRequest> open(Listener listener);

  interface Listener extends ServerStream.Listener<LoadStatsResponse> {}
}
