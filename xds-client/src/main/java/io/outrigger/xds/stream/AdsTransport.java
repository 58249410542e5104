package io.outrigger.xds.stream;

import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.report.LrsTransport;
import java.util.Optional;

/**
 * The seam to one control plane: {@code xds.transport} implements it over gRPC, {@code xds.local}
 * over files. Used on the control loop.
 */
public interface AdsTransport {
  /** Opens a stream. {@code listener} is not called before this returns. */
  AdsStream open(Listener listener);

  /** How load is reported to the same server; empty when it takes no reports. */
  default Optional<LrsTransport> loadReports() {
    return Optional.empty();
  }

  /** Releases everything; open streams end. */
  void close();

  /** Who is on the other side, for messages: a server URI or a path. */
  String name();

  /** Hears of one stream, on the control loop. */
  interface Listener {
    /**
     * The stream is attached to a connected transport, and what was sent is on its way; again after
     * each time that {@link AdsStream#isReady} was false.
     */
    void onReady();

    void onResponse(DiscoveryResponse response);

    /** The stream is over, nothing follows; {@code reason} may be OK. */
    void onClosed(RpcStatus reason);
  }
}
