package io.outrigger.proxy.upstream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.Connector;
import io.outrigger.proxy.http2.EventLoops;

/**
 * Makes connections to backends for load balancing. Attempts start on the event loops in turn, so
 * that the connections which decide subchannels' states are spread.
 */
@ControlConfined
public final class NettyConnector implements Connector {
  private final ControlLoop control;
  private final EventLoops loops;
  private final UpstreamSettings settings;
  private int next;

  public NettyConnector(ControlLoop control, EventLoops loops, UpstreamSettings settings) {
    this.control = control;
    this.loops = loops;
    this.settings = settings;
  }

  @Override
  public Attempt connect(EndpointAddress address, int maxConnections, Listener listener) {
    control.checkInside();
    int first = next;
    next = (next + 1) % loops.count();
    var transport =
        new UpstreamTransport(control, loops, settings, address, maxConnections, first, listener);
    transport.start();
    return transport;
  }
}
