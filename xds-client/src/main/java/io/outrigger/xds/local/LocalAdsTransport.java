package io.outrigger.xds.local;

import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.xds.ServerStream;
import io.outrigger.xds.stream.AdsTransport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A control plane whose resources come from this machine: from files, or from the {@code dns:///}
 * and {@code k8s:///} targets of forwards. The class implements the same interface as a transport
 * over gRPC, so its resources pass through the same stream, decoders and cache.
 */
@ControlConfined
public final class LocalAdsTransport implements AdsTransport {
  private final ControlLoop loop;
  private final String name;
  private final List<LocalAdsStream> streams = new ArrayList<>();
  private Optional<ResourceSnapshot> snapshot = Optional.empty();

  /**
   * @param name the place that the resources come from, for messages
   */
  public LocalAdsTransport(ControlLoop loop, String name) {
    this.loop = loop;
    this.name = name;
  }

  /** Serves these resources from now on; streams are not answered before the first call. */
  public void publish(ResourceSnapshot next) {
    snapshot = Optional.of(next);
    List.copyOf(streams).forEach(LocalAdsStream::respond);
  }

  Optional<ResourceSnapshot> snapshot() {
    return snapshot;
  }

  @Override
  public ServerStream<DiscoveryRequest> open(Listener listener) {
    loop.checkInside();
    var stream = new LocalAdsStream(loop, this, listener);
    streams.add(stream);
    stream.start();
    return stream;
  }

  void forget(LocalAdsStream stream) {
    streams.remove(stream);
  }

  /** Does nothing: each client closes its streams. */
  @Override
  public void close() {}

  @Override
  public String name() {
    return name;
  }

  @Override
  public String title() {
    return "resources from " + name;
  }
}
