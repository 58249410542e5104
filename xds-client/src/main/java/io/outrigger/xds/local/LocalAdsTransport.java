package io.outrigger.xds.local;

import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ServerStream;
import io.outrigger.xds.stream.AdsTransport;
import java.util.ArrayList;
import java.util.List;

/**
 * A control plane whose resources come from this machine: from files, or from the {@code dns:///}
 * targets of forwards. The class implements the same interface as a transport over gRPC, so its
 * resources pass through the same stream, decoders and cache.
 */
@ControlConfined
public final class LocalAdsTransport implements AdsTransport {
  private final ControlLoop loop;
  private final ResourceSource source;
  private final List<LocalAdsStream> streams = new ArrayList<>();
  private boolean closed;

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
    if (closed) {
      throw new IllegalStateException("a stream on a closed transport");
    }
    var stream = new LocalAdsStream(loop, source, listener, streams::remove);
    streams.add(stream);
    stream.start();
    return stream;
  }

  @Override
  public void close() {
    loop.checkInside();
    closed = true;
    List.copyOf(streams).forEach(stream -> stream.end(RpcStatus.OK));
  }

  @Override
  public String name() {
    return source.name();
  }
}
