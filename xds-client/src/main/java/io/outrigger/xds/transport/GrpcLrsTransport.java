package io.outrigger.xds.transport;

import io.envoyproxy.envoy.service.load_stats.v3.LoadReportingServiceGrpc;
import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsRequest;
import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsResponse;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.report.LrsStream;
import io.outrigger.xds.report.LrsTransport;

/** Sends load reports over the channel of a {@link GrpcAdsTransport}, which owns the channel. */
@ControlConfined
final class GrpcLrsTransport implements LrsTransport {
  private final ServerChannel channel;

  GrpcLrsTransport(ServerChannel channel) {
    this.channel = channel;
  }

  @Override
  public LrsStream open(Listener listener) {
    channel.loop().checkInside();
    var stream = new Stream(channel, listener);
    stream.start();
    return stream;
  }

  private static final class Stream extends GrpcStream<LoadStatsRequest, LoadStatsResponse>
      implements LrsStream {
    private final Listener listener;

    Stream(ServerChannel channel, Listener listener) {
      super(channel, LoadReportingServiceGrpc.getStreamLoadStatsMethod());
      this.listener = listener;
    }

    @Override
    void onReady() {
      listener.onReady();
    }

    @Override
    void onMessage(LoadStatsResponse response) {
      listener.onResponse(response);
    }

    @Override
    void onClosed(RpcStatus reason) {
      listener.onClosed(reason);
    }
  }
}
