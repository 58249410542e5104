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

/**
 * An HTTP/1.1 server with one thread and a table of endpoints; a guard checks every request first.
 */
@AnyThread
public final class AdminServer implements AutoCloseable {
  private static final int MAX_REQUEST_BYTES = 64 * 1024;
  private static final int MAX_CONNECTIONS = 100;

  /**
   * Small, so that a read rarely has several requests, but large enough to read a large request in
   * few steps.
   */
  private static final int MAX_READ_BYTES = 8 * 1024;

  /**
   * The largest number of bytes that the kernel buffers for a client that does not read. Kernel
   * buffers count against the container's memory.
   */
  private static final int SEND_BUFFER_BYTES = 256 * 1024;

  /** The quiet period of the shutdown, for tasks that other threads submit late. */
  private static final int QUIET_MILLIS = 20;

  private static final int IDLE_SECONDS = 60;

  private final EventLoopGroup group;
  private final Channel channel;

  private AdminServer(EventLoopGroup group, Channel channel) {
    this.group = group;
    this.channel = channel;
  }

  /**
   * Binds the port, and serves requests that the {@link AdminGuard} accepts.
   *
   * @param endpoints endpoints by {@code "GET /path"} or {@code "POST /path"}; a path that ends in
   *     {@code /*} matches all paths below it
   * @param turns the queue of possibly large replies
   * @param budget the bound on unread reply bytes
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
   * Binds the port, and serves every client that can reach it, under any host name. The endpoints
   * must not change anything.
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

  /** Returns the server's address, with the port that the system chose. */
  public InetSocketAddress address() {
    return (InetSocketAddress) channel.localAddress();
  }

  @Override
  public void close() {
    channel.close(); // also closes its connections, whose handlers then release their resources
    group.shutdownGracefully(QUIET_MILLIS, 1000, TimeUnit.MILLISECONDS);
  }
}
