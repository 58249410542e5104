package io.outrigger.dataplane.upstream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.dataplane.tls.TlsContexts;
import io.outrigger.dataplane.upstream.SubchannelName.TargetName;
import io.outrigger.http2.EventLoops;
import io.outrigger.lb.Connector;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Opens connections to backends for load balancing. Successive attempts start on successive event
 * loops, so that the first connections of the subchannels are spread over all loops.
 */
@ControlConfined
public final class NettyConnector {
  private final ControlLoop control;
  private final EventLoops loops;
  private final UpstreamSettings settings;
  private final UpstreamSockets sockets;
  private final TlsContexts tls;
  private int next;

  public NettyConnector(
      ControlLoop control, EventLoops loops, UpstreamSettings settings, TlsContexts tls) {
    this.control = control;
    this.loops = loops;
    this.settings = settings;
    this.tls = tls;
    sockets = new UpstreamSockets(loops);
  }

  public UpstreamSockets sockets() {
    return sockets;
  }

  /** Returns a connector whose connections appear in status views under a target. Thread-safe. */
  public Connector of(TargetName target) {
    return new Named(this, target, "");
  }

  private Connector.Attempt connect(
      SubchannelName owner,
      KeepAliveTime keepAlive,
      EndpointAddress address,
      int maxConnections,
      Connector.Listener listener) {
    control.checkInside();
    int first = next;
    next = (next + 1) % loops.count();
    List<Dialer> dialers =
        IntStream.range(0, loops.count())
            .mapToObj(loops::loop)
            .map(loop -> new Dialer(loops, loop, address, settings, keepAlive, sockets, owner))
            .toList();
    var transport = new UpstreamTransport(control, dialers, maxConnections, first, listener);
    transport.start(tls);
    return transport;
  }

  /** A connector whose connections appear in status views under a target and a cluster. */
  private record Named(NettyConnector all, TargetName target, String cluster) implements Connector {
    @Override
    public Connector ofCluster(String name) {
      return new Named(all, target, name);
    }

    @Override
    public Connector ofEndpoint(EndpointAddress endpoint) {
      var owner = new SubchannelName(target, cluster, endpoint);
      var keepAlive = new KeepAliveTime(all.settings.keepAlive());
      return (address, maxConnections, listener) ->
          all.connect(owner, keepAlive, address, maxConnections, listener);
    }

    @Override
    public Attempt connect(EndpointAddress address, int maxConnections, Listener listener) {
      return ofEndpoint(address).connect(address, maxConnections, listener);
    }
  }
}
