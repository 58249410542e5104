package io.outrigger.observe.admin;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.outrigger.base.AnyThread;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** An HTTP/1.1 server with one thread, a table of endpoints, and a guard in front of them. */
@AnyThread
public final class AdminServer implements AutoCloseable {
  private static final int MAX_REQUEST_BYTES = 64 * 1024;
  private static final int MAX_CONNECTIONS = 100;

  /** So that few requests come at once, and one that is large is still read in few steps. */
  private static final int MAX_READ_BYTES = 8 * 1024;

  /** What the kernel may hold for a reader that has stopped; it counts for the container too. */
  private static final int SEND_BUFFER_BYTES = 256 * 1024;

  /** At the end, for tasks that others have left behind. */
  private static final int QUIET_MILLIS = 20;

  private static final int IDLE_SECONDS = 60;

  private final EventLoopGroup group;
  private final Channel channel;

  private AdminServer(EventLoopGroup group, Channel channel) {
    this.group = group;
    this.channel = channel;
  }

  /**
   * Binds and serves those whom the {@link AdminGuard} lets in.
   *
   * @param endpoints by {@code "GET /path"} or {@code "POST /path"}; a path that ends in {@code /*}
   *     serves everything below
   * @param turns of the answers that may be large
   * @param budget of what readers have not taken yet
   * @throws IOException when the address cannot be bound
   */
  public static AdminServer start(
      InetSocketAddress address,
      Map<String, AdminEndpoint> endpoints,
      AnswerTurns turns,
      AdminBudget budget)
      throws IOException {
    return start("admin", AdminGuard::new, address, endpoints, turns, budget);
  }

  /**
   * The same for everybody who can reach the port, by any name: the endpoints must change nothing.
   */
  public static AdminServer startForProbes(
      InetSocketAddress address,
      Map<String, AdminEndpoint> endpoints,
      AnswerTurns turns,
      AdminBudget budget)
      throws IOException {
    return start("health", bound -> new ProbeGuard(), address, endpoints, turns, budget);
  }

  private static AdminServer start(
      String thread,
      Function<InetSocketAddress, RequestGuard> guard,
      InetSocketAddress address,
      Map<String, AdminEndpoint> endpoints,
      AnswerTurns turns,
      AdminBudget budget)
      throws IOException {
    var group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory(thread, true), NioIoHandler.newFactory());
    var future =
        new ServerBootstrap()
            .group(group)
            .channelFactory(() -> new LimitedServerChannel(MAX_CONNECTIONS))
            .childOption(ChannelOption.SO_SNDBUF, SEND_BUFFER_BYTES)
            .childOption(
                ChannelOption.RECVBUF_ALLOCATOR,
                new AdaptiveRecvByteBufAllocator(512, 2048, MAX_READ_BYTES))
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel child) {
                    var requests = new PacedRequests();
                    child
                        .pipeline()
                        .addLast(
                            requests,
                            new HttpResponseEncoder(),
                            new UnreadAnswers(budget, requests),
                            new RequestBodies(MAX_REQUEST_BYTES),
                            new IdleStateHandler(0, 0, IDLE_SECONDS),
                            new AdminConnection(
                                guard.apply(child.parent().localAddress()), endpoints, turns));
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!future.isSuccess()) {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
      throw new IOException(
          "cannot listen on "
              + address.getHostString()
              + ":"
              + address.getPort()
              + ": "
              + future.cause().getMessage(),
          future.cause());
    }
    return new AdminServer(group, future.channel());
  }

  /** Where it listens, with the port that was picked. */
  public InetSocketAddress address() {
    return (InetSocketAddress) channel.localAddress();
  }

  @Override
  public void close() {
    channel.close(); // and its connections, whose handlers have something to release
    group.shutdownGracefully(QUIET_MILLIS, 1000, TimeUnit.MILLISECONDS);
  }
}
