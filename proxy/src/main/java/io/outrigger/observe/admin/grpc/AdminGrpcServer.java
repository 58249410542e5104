package io.outrigger.observe.admin.grpc;

import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.outrigger.base.AnyThread;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.observe.admin.AdminBudget;
import io.outrigger.observe.admin.AnswerTurns;
import io.outrigger.observe.admin.LimitedServerChannel;
import io.outrigger.observe.admin.channelz.ChannelzOfAll;
import io.outrigger.observe.admin.channelz.ChannelzSource;
import io.outrigger.xds.decode.Redaction;
import io.outrigger.xds.status.XdsStatusView;
import io.outrigger.xds.stream.NodeMessage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** CSDS, health, channelz and reflection on a port of their own (CONTRACT section 7). */
@AnyThread
public final class AdminGrpcServer implements AutoCloseable {
  private static final int LARGEST_REQUEST_BYTES = 64 << 10;
  private static final int MAX_CONNECTIONS = 32;
  private static final int CALLS_PER_CONNECTION = 8;

  private final Health health;
  private final EventLoopGroup group;
  private final Server server;

  private AdminGrpcServer(Health health, EventLoopGroup group, Server server) {
    this.health = health;
    this.group = group;
    this.server = server;
  }

  /**
   * Opens the port. Until health is told, the process is not serving and no name is known.
   *
   * @param node who we are to the control plane; known late
   * @param version of this program
   * @param view asked for with each CSDS request
   * @param channelz our part of what channelz shows
   * @param turns of the answers that may be large
   * @param budget of what readers have not taken yet
   * @throws IOException when the address cannot be bound
   */
  public static AdminGrpcServer start(
      InetSocketAddress address,
      Supplier<Node> node,
      String version,
      Supplier<CompletionStage<XdsStatusView>> view,
      ChannelzSource channelz,
      AnswerTurns turns,
      AdminBudget budget)
      throws IOException {
    var health = new Health();
    var port = new LimitedServerChannel(MAX_CONNECTIONS);
    var group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("admin-grpc", true), NioIoHandler.newFactory());
    var configs = new ClientConfigs(() -> NodeMessage.shown(node.get(), version), Redaction::of);
    Server server =
        NettyServerBuilder.forAddress(address, InsecureServerCredentials.create())
            .bossEventLoopGroup(group)
            .workerEventLoopGroup(group)
            .channelFactory(() -> port)
            .intercept(new UnreadMessages(budget, port::closeConnectionOf))
            .maxInboundMessageSize(LARGEST_REQUEST_BYTES)
            .maxConcurrentCallsPerConnection(CALLS_PER_CONNECTION)
            .addService(new ClientStatusService(view, configs, turns))
            .addService(health.service())
            .addService(new ChannelzOfAll(channelz))
            .addService(ProtoReflectionServiceV1.newInstance())
            .build();
    try {
      server.start();
    } catch (IOException e) { // gRPC's own line names the address alone
      stop(group);
      Throwable reason = e.getCause() == null ? e : e.getCause();
      throw new IOException(
          "cannot listen on %s:%d: %s"
              .formatted(address.getHostString(), address.getPort(), reason.getMessage()),
          reason);
    }
    return new AdminGrpcServer(health, group, server);
  }

  /**
   * What health tells from now on.
   *
   * @param serving by service name, every one of them; the empty one is the whole process
   */
  public void health(Map<String, Boolean> serving) {
    health.tell(serving);
  }

  /** Where it listens, with the port that was picked. */
  public InetSocketAddress address() {
    return (InetSocketAddress) server.getListenSockets().get(0);
  }

  /** Closes the port and ends every call. */
  @Override
  public void close() {
    health.close();
    server.shutdownNow();
    stop(group);
  }

  private static void stop(EventLoopGroup group) {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
