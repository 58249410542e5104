package io.outrigger.xds.transport;

import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.load_stats.v3.LoadReportingServiceGrpc;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.xds.ServerStream;
import io.outrigger.xds.report.LrsTransport;
import io.outrigger.xds.stream.AdsTransport;
import java.util.Map;
import java.util.Optional;

/** ADS over a gRPC channel. Load reports use the same channel (A27, A57). */
@ControlConfined
public final class GrpcAdsTransport implements AdsTransport {
  private final ServerChannel channel;

  /**
   * Makes the channel, which connects with the first stream. May be called on any thread.
   *
   * @throws IllegalArgumentException if the target of the server, or a file that its credentials
   *     name, cannot be used; the message names the server
   */
  public GrpcAdsTransport(ControlLoop loop, XdsServer server) {
    this(loop, server, ServerChannel.KeepAlive.DEFAULT, System.getenv());
  }

  GrpcAdsTransport(
      ControlLoop loop,
      XdsServer server,
      ServerChannel.KeepAlive keepAlive,
      Map<String, String> environment) {
    channel = new ServerChannel(loop, server, keepAlive, environment);
  }

  @Override
  public String name() {
    return channel.name();
  }

  @Override
  public ServerStream<DiscoveryRequest> open(Listener listener) {
    return GrpcStream.open(
        channel, AggregatedDiscoveryServiceGrpc.getStreamAggregatedResourcesMethod(), listener);
  }

  @Override
  public Optional<LrsTransport> loadReports() {
    return Optional.of(
        listener ->
            GrpcStream.open(
                channel, LoadReportingServiceGrpc.getStreamLoadStatsMethod(), listener));
  }

  @Override
  public void close() {
    channel.close();
  }
}
