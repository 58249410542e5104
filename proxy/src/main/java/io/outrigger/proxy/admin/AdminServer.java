package io.outrigger.proxy.admin;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.outrigger.base.AnyThread;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The admin HTTP/1.1 server: one thread, a table of endpoints, the guard in front of them. */
@AnyThread
public final class AdminServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AdminServer.class);
  private static final int MAX_REQUEST_BYTES = 64 * 1024;

  /** An explained request is in the request line, with its cookies and tokens. */
  private static final int LONGEST_LINE = 64 * 1024;

  /** Browsers send the cookies of everything else on this host. */
  private static final int MAX_HEADER_BYTES = 64 * 1024;

  private static final int MAX_CHUNK_BYTES = 8 * 1024;
  private static final Set<String> READING = Set.of("GET", "HEAD");
  private static final int IDLE_SECONDS = 60;

  private final EventLoopGroup group;
  private final Channel channel;

  private AdminServer(EventLoopGroup group, Channel channel) {
    this.group = group;
    this.channel = channel;
  }

  /**
   * Binds and serves.
   *
   * @param endpoints by {@code "GET /path"} or {@code "POST /path"}; a path that ends in {@code /*}
   *     serves everything below
   * @throws IOException when the address cannot be bound
   */
  public static AdminServer start(InetSocketAddress address, Map<String, AdminEndpoint> endpoints)
      throws IOException {
    var group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("admin", true), NioIoHandler.newFactory());
    var future =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel child) {
                    child
                        .pipeline()
                        .addLast(
                            new HttpServerCodec(LONGEST_LINE, MAX_HEADER_BYTES, MAX_CHUNK_BYTES),
                            new RequestBodies(MAX_REQUEST_BYTES),
                            new IdleStateHandler(0, 0, IDLE_SECONDS),
                            new Handler(new AdminGuard(child.parent().localAddress()), endpoints));
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
    channel.close();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  /** One connection. */
  private static final class Handler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private final AdminGuard guard;
    private final Map<String, AdminEndpoint> endpoints;
    private @Nullable EventStream stream;

    Handler(AdminGuard guard, Map<String, AdminEndpoint> endpoints) {
      this.guard = guard;
      this.endpoints = endpoints;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
      if (stream != null) {
        context.close(); // nothing can be asked behind a stream that has no end
        return;
      }
      if (!request.decoderResult().isSuccess()) {
        AdminResponse.refuse(context, refusal(request.decoderResult().cause()));
        return;
      }
      boolean keepAlive = HttpUtil.isKeepAlive(request);
      boolean head = request.method().name().equals("HEAD");
      boolean gzip = request.headers().containsValue(HttpHeaderNames.ACCEPT_ENCODING, "gzip", true);
      answer(request)
          .whenComplete(
              (reply, failure) -> {
                if (failure != null) {
                  log.error("admin request {} failed", request.uri(), failure);
                  var sorry = AdminReply.text(500, "internal error, see the log");
                  send(context, sorry, false, head, false);
                } else if (reply.feed().isPresent() && !head) {
                  EventFeed feed = reply.feed().get();
                  context.executor().execute(() -> stream(context, reply, feed));
                } else {
                  reply.feed().ifPresent(EventFeed::close);
                  send(context, reply, keepAlive, head, gzip);
                }
              });
    }

    private void stream(ChannelHandlerContext context, AdminReply reply, EventFeed feed) {
      if (!context.channel().isActive()) {
        feed.close();
        return;
      }
      context.write(AdminResponse.streamed(reply));
      var opened = new EventStream(context, feed);
      stream = opened;
      opened.start();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      if (stream != null) {
        stream.onWritable();
      }
      context.fireChannelWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      if (stream != null) {
        stream.close();
      }
      context.fireChannelInactive();
    }

    private CompletionStage<AdminReply> answer(FullHttpRequest request) {
      var headers = request.headers();
      String method = request.method().name();
      Optional<AdminReply> refusal =
          guard.refusal(
              method,
              headers.getAll(HttpHeaderNames.HOST).size() > 1
                  ? null
                  : headers.get(HttpHeaderNames.HOST),
              headers.get(HttpHeaderNames.ORIGIN),
              headers.get(HttpHeaderNames.CONTENT_TYPE));
      if (refusal.isPresent()) {
        return done(refusal.get());
      }
      try {
        return dispatch(method, new QueryStringDecoder(request.uri()), headers);
      } catch (IllegalArgumentException badQuery) {
        return done(AdminReply.text(400, "the query is not valid: " + badQuery.getMessage()));
      }
    }

    private static AdminReply refusal(Throwable cause) {
      if (cause instanceof TooLongHttpLineException) {
        return AdminReply.text(414, "the request line is longer than " + LONGEST_LINE + " bytes");
      }
      if (cause instanceof TooLongHttpHeaderException) {
        return AdminReply.text(431, "the headers are longer than " + MAX_HEADER_BYTES + " bytes");
      }
      return AdminReply.text(400, "not a valid HTTP request");
    }

    private CompletionStage<AdminReply> dispatch(
        String method, QueryStringDecoder uri, HttpHeaders headers) {
      AdminEndpoint get = find(AdminRequest.Method.GET, uri.path());
      AdminEndpoint post = find(AdminRequest.Method.POST, uri.path());
      if (get == null && post == null) {
        return done(AdminReply.text(404, "no such endpoint; GET / shows the page"));
      }
      boolean reads = READING.contains(method);
      AdminEndpoint asked = reads ? get : method.equals("POST") ? post : null;
      if (asked == null) {
        return done(AdminReply.notAllowed(get != null, post != null));
      }
      return asked.answer(
          new AdminRequest(
              reads ? AdminRequest.Method.GET : AdminRequest.Method.POST,
              uri.path(),
              uri.parameters(),
              Optional.ofNullable(headers.get("last-event-id"))));
    }

    private @Nullable AdminEndpoint find(AdminRequest.Method method, String path) {
      AdminEndpoint exact = endpoints.get(method + " " + path);
      if (exact != null) {
        return exact;
      }
      int slash = path.lastIndexOf('/');
      return slash < 0 ? null : endpoints.get(method + " " + path.substring(0, slash) + "/*");
    }

    private static CompletionStage<AdminReply> done(AdminReply reply) {
      return CompletableFuture.completedFuture(reply);
    }

    private static void send(
        ChannelHandlerContext context,
        AdminReply reply,
        boolean keepAlive,
        boolean head,
        boolean gzip) {
      FullHttpResponse response = AdminResponse.of(reply, head, gzip);
      if (!keepAlive) {
        response.headers().set(HttpHeaderNames.CONNECTION, "close");
      }
      var written = context.writeAndFlush(response);
      if (!keepAlive) {
        written.addListener(ChannelFutureListener.CLOSE);
      }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (event instanceof IdleStateEvent) {
        context.close();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      log.debug("admin connection failed", cause);
      context.close();
    }
  }
}
