package io.outrigger.observe.admin;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.compression.StandardCompressionOptions;
import io.netty.handler.codec.http.HttpContentCompressor;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.outrigger.base.AnyThread;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/1.1 server with one thread and a table of endpoints; a guard checks every request first.
 */
@AnyThread
public final class AdminServer implements AutoCloseable {
  /** The maximum size of a request body; no endpoint reads request bodies. */
  private static final int MAX_BODY_BYTES = 64 * 1024;

  private static final int MAX_CONNECTIONS = 100;

  /** Request lines may be long: the query of {@code /explain} may contain request headers. */
  static final int MAX_LINE_BYTES = 64 * 1024;

  /** Headers may be long, because browsers send the cookies of all ports of the host. */
  private static final int MAX_HEADER_BYTES = 64 * 1024;

  /**
   * The maximum size of headers on a server for probes. The limit is low, because any client may
   * send requests to a server for probes, and headers use much heap.
   */
  private static final int MAX_PROBE_HEADER_BYTES = 8 * 1024;

  /** The read size is small, so that one read returns few pipelined requests. */
  private static final int READ_BYTES = 2 * 1024;

  /** The limit of the kernel's send buffer, which counts against the container's memory. */
  private static final int SEND_BUFFER_BYTES = 256 * 1024;

  /** The time for pending replies, and then for tasks of other threads, when the server closes. */
  private static final int QUIET_MILLIS = 20;

  private static final int IDLE_SECONDS = 60;

  private final EventLoopGroup group;
  private final Channel channel;

  private AdminServer(EventLoopGroup group, Channel channel) {
    this.group = group;
    this.channel = channel;
  }

  public enum Audience {
    /** The server replies to requests that the {@link AdminGuard} accepts. */
    OPERATORS,
    /** The server replies to all clients, with any Host header. Every path is read-only. */
    PROBES
  }

  /**
   * Binds the port.
   *
   * @param endpoints endpoints by {@code "GET /path"} or {@code "POST /path"}; a path that ends in
   *     {@code /*} matches all paths below it
   * @throws IOException when the address cannot be bound
   */
  public static AdminServer start(
      Audience audience,
      InetSocketAddress address,
      Map<String, AdminEndpoint> endpoints,
      ReplyQueue replyQueue,
      AdminBudget budget)
      throws IOException {
    boolean isGuarded = audience == Audience.OPERATORS;
    var group =
        new MultiThreadIoEventLoopGroup(
            1,
            new DefaultThreadFactory(isGuarded ? "admin" : "health", true),
            NioIoHandler.newFactory());
    var future =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .handler(new ConnectionCap(MAX_CONNECTIONS))
            .childOption(ChannelOption.SO_SNDBUF, SEND_BUFFER_BYTES)
            .childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_BYTES))
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel child) {
                    child
                        .pipeline()
                        .addLast(
                            new HttpRequestDecoder(
                                new HttpDecoderConfig()
                                    .setMaxInitialLineLength(MAX_LINE_BYTES)
                                    .setMaxHeaderSize(
                                        isGuarded ? MAX_HEADER_BYTES : MAX_PROBE_HEADER_BYTES)),
                            new HttpResponseEncoder(),
                            new HttpObjectAggregator(MAX_BODY_BYTES),
                            new TextCompression(),
                            new IdleStateHandler(0, 0, IDLE_SECONDS),
                            new AdminConnection(
                                isGuarded
                                    ? new AdminGuard(
                                            child.parent().localAddress(), address.getHostString())
                                        ::refusal
                                    : AdminGuard::probeRefusal,
                                endpoints,
                                replyQueue,
                                budget));
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!future.isSuccess()) {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
      throw new IOException(
          "cannot listen on %s:%d: %s"
              .formatted(address.getHostString(), address.getPort(), future.cause().getMessage()),
          future.cause());
    }
    return new AdminServer(group, future.channel());
  }

  public InetSocketAddress address() {
    return (InetSocketAddress) channel.localAddress();
  }

  /**
   * Closes the port immediately, and the connections after {@link #QUIET_MILLIS}, so that the reply
   * to the request that ends the process can still be sent.
   */
  @Override
  public void close() {
    channel.close();
    if (!group.isShuttingDown()) {
      var unused =
          group.schedule(
              () -> group.shutdownGracefully(QUIET_MILLIS, 1000, TimeUnit.MILLISECONDS),
              QUIET_MILLIS,
              TimeUnit.MILLISECONDS);
    }
  }

  /**
   * Compresses the page and metrics with gzip for clients that accept gzip. The compression level
   * is the lowest, because metrics are so repetitive that a higher level gains little. JSON is not
   * compressed, since programs on the same machine poll it (decision proxy-0016).
   */
  private static final class TextCompression extends HttpContentCompressor {
    TextCompression() {
      super(StandardCompressionOptions.gzip(Deflater.BEST_SPEED, 15, 8));
    }

    @Override
    protected @Nullable Result beginEncode(HttpResponse response, String acceptEncoding)
        throws Exception {
      String type = response.headers().get(HttpHeaderNames.CONTENT_TYPE, "");
      return type.contains("text") && !type.startsWith("text/event-stream")
          ? super.beginEncode(response, acceptEncoding.toLowerCase(Locale.ROOT))
          : null;
    }
  }
}
