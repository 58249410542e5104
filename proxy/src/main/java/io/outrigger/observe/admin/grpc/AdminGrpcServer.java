package io.outrigger.observe.admin.grpc;

import io.grpc.BindableService;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionService;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.outrigger.base.AnyThread;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.observe.admin.AdminBudget;
import io.outrigger.observe.admin.ConnectionCap;
import io.outrigger.observe.admin.ReplyQueue;
import io.outrigger.observe.admin.channelz.ChannelzSource;
import io.outrigger.observe.admin.channelz.ProxyChannelz;
import io.outrigger.xds.decode.WireNode;
import io.outrigger.xds.status.XdsStatusView;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** CSDS, health, channelz and reflection, on a separate port (CONTRACT section 7). */
@AnyThread
public final class AdminGrpcServer implements AutoCloseable {
  private static final int MAX_REQUEST_BYTES = 64 << 10;
  private static final int MAX_CONNECTIONS = 32;
  private static final int CALLS_PER_CONNECTION = 8;

  private final HealthStatusManager health;
  private final EventLoopGroup group;
  private final Server server;

  private AdminGrpcServer(HealthStatusManager health, EventLoopGroup group, Server server) {
    this.health = health;
    this.group = group;
    this.server = server;
  }

  /**
   * Opens the port. Until {@link #health} is called, the health service reports NOT_SERVING for the
   * process, and knows no other service.
   *
   * @param node returns the node that identifies this process to the control plane; the node is
   *     known only after the start
   * @throws IOException when the address cannot be bound
   */
  public static AdminGrpcServer start(
      InetSocketAddress address,
      Supplier<Node> node,
      String version,
      Supplier<CompletionStage<XdsStatusView>> view,
      ChannelzSource channelz,
      ReplyQueue replyQueue,
      AdminBudget budget)
      throws IOException {
    var health = new HealthStatusManager();
    health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, ServingStatus.NOT_SERVING);
    var cap = new ConnectionCap(MAX_CONNECTIONS);
    var group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("admin-grpc", true), NioIoHandler.newFactory());
    var configs = new ClientConfigs(() -> WireNode.shown(node.get(), version));
    Server server =
        NettyServerBuilder.forAddress(address, InsecureServerCredentials.create())
            .bossEventLoopGroup(group)
            .workerEventLoopGroup(group)
            .channelFactory(() -> capped(cap))
            .intercept(
                new UnreadMessages(
                    budget, peer -> group.execute(() -> cap.closeConnectionOf(peer))))
            .maxInboundMessageSize(MAX_REQUEST_BYTES)
            .maxConcurrentCallsPerConnection(CALLS_PER_CONNECTION)
            .addService(new ClientStatusService(view, configs, replyQueue))
            .addService(health.getHealthService())
            .addService(new ProxyChannelz(channelz))
            .addService(ProtoReflectionServiceV1.newInstance())
            .addService(oldReflection())
            .build();
    try {
      server.start();
    } catch (IOException e) { // gRPC's message does not give the reason
      stop(group);
      Throwable reason = e.getCause() == null ? e : e.getCause();
      throw new IOException(
          "cannot listen on %s:%d: %s"
              .formatted(address.getHostString(), address.getPort(), reason.getMessage()),
          reason);
    }
    return new AdminGrpcServer(health, group, server);
  }

  /** Returns {@code grpc.reflection.v1alpha}, the only reflection that older clients know. */
  @SuppressWarnings("deprecation")
  private static BindableService oldReflection() {
    return ProtoReflectionService.newInstance();
  }

  private static ServerChannel capped(ConnectionCap cap) {
    var port = new NioServerSocketChannel();
    port.pipeline().addLast(cap);
    return port;
  }

  /**
   * @param statuses whether each service is serving, by name; the empty name is the whole process
   */
  public void health(Map<String, Boolean> statuses) {
    statuses.forEach(
        (name, yes) ->
            health.setStatus(name, yes ? ServingStatus.SERVING : ServingStatus.NOT_SERVING));
  }

  public InetSocketAddress address() {
    return (InetSocketAddress) server.getListenSockets().get(0);
  }

  @Override
  public void close() {
    health.enterTerminalState(); // sends NOT_SERVING to the watchers
    server.shutdownNow();
    stop(group);
  }

  private static void stop(EventLoopGroup group) {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
