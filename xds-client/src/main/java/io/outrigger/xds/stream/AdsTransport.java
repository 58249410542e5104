package io.outrigger.xds.stream;

import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.outrigger.xds.ServerStream;
import io.outrigger.xds.report.LrsTransport;
import java.util.Optional;

/**
 * The interface to one control plane: {@code xds.transport} implements it over gRPC, {@code
 * xds.local} over resources of this machine. All methods are called on the control loop.
 */
public interface AdsTransport {
  /** Opens a stream. The listener is called only after this method has returned. */
  ServerStream<DiscoveryRequest> open(Listener listener);

  /** Begins to connect, so that the first stream opens sooner. */
  default void connect() {}

  /** Returns the transport of load reports; empty if the server accepts no reports. */
  default Optional<LrsTransport> loadReports() {
    return Optional.empty();
  }

  void close();

  /** Returns how messages name the server: by its URI, or by a local source such as a folder. */
  String name();

  default String title() {
    return "control plane " + name();
  }

  interface Listener extends ServerStream.Listener<DiscoveryResponse> {}
}
