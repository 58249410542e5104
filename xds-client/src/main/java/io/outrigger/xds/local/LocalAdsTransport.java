package io.outrigger.xds.local;

import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.xds.ServerStream;
import io.outrigger.xds.stream.AdsTransport;

/**
 * A control plane whose resources come from this machine: from files, or from the {@code dns:///}
 * targets of forwards. The class implements the same interface as a transport over gRPC, so its
 * resources pass through the same stream, decoders and cache.
 */
@ControlConfined
public final class LocalAdsTransport implements AdsTransport {
  private final ControlLoop loop;
  private final ResourceSource source;

  /**
   * @param source the resources to serve; the caller starts and closes the source
   */
  public LocalAdsTransport(ControlLoop loop, ResourceSource source) {
    this.loop = loop;
    this.source = source;
  }

  @Override
  public ServerStream<DiscoveryRequest> open(Listener listener) {
    loop.checkInside();
    var stream = new LocalAdsStream(loop, source, listener);
    stream.start();
    return stream;
  }

  /** Does nothing: each client closes its streams, and the caller closes the source. */
  @Override
  public void close() {}

  @Override
  public String name() {
    return source.name();
  }

  @Override
  public String title() {
    return "resources from " + source.name();
  }
}
