package io.outrigger.xds.transport;

import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.testing.TextResources.resource;

import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.outrigger.xds.testing.Bytes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Queue;

/** A control plane that begins each stream with the next of some messages, whatever they are. */
final class RudeAdsServer implements AutoCloseable {
  private final Server server;

  private RudeAdsServer(Server server) {
    this.server = server;
  }

  /**
   * @param messages the bytes of one message for each stream; listener {@code a} once none is left
   */
  static RudeAdsServer start(Queue<byte[]> messages) throws IOException {
    MethodDescriptor<byte[], byte[]> method =
        AggregatedDiscoveryServiceGrpc.getStreamAggregatedResourcesMethod().toBuilder(
                new Bytes(), new Bytes())
            .build();
    byte[] good =
        DiscoveryResponse.newBuilder()
            .setTypeUrl(LISTENER.typeUrl())
            .setVersionInfo("1")
            .setNonce("n")
            .addResources(resource(LISTENER, "a", "x"))
            .build()
            .toByteArray();
    var service =
        ServerServiceDefinition.builder(AggregatedDiscoveryServiceGrpc.SERVICE_NAME)
            .addMethod(
                method,
                ServerCalls.asyncBidiStreamingCall(
                    responses -> {
                      byte[] next = messages.poll();
                      responses.onNext(next == null ? good : next);
                      return new Deaf();
                    }))
            .build();
    return new RudeAdsServer(
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(service)
            .build()
            .start());
  }

  String target() {
    return "127.0.0.1:" + server.getPort();
  }

  @Override
  public void close() {
    server.shutdownNow();
  }

  private static final class Deaf implements StreamObserver<byte[]> {
    @Override
    public void onNext(byte[] request) {}

    @Override
    public void onError(Throwable error) {}

    @Override
    public void onCompleted() {}
  }
}
