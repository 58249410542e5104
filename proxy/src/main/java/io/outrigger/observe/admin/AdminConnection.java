package io.outrigger.observe.admin;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.timeout.IdleStateEvent;
import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.memory.OutOfMemory;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to an admin server. Its requests are handled one at a time ({@link
 * PacedRequests}). Requests that read state also wait for their turn ({@link AnswerTurns}), except
 * for the probes, whose clients have short timeouts. When the connection closes during the wait, no
 * reply is created.
 */
@LoopConfined
final class AdminConnection extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final Logger log = LoggerFactory.getLogger(AdminConnection.class);
  private static final Set<String> READING = Set.of("GET", "HEAD");
  private static final Set<String> PROBES = Set.of("/live", "/ready");

  private final RequestGuard guard;
  private final Map<String, AdminEndpoint> endpoints;
  private final AnswerTurns turns;
  private @Nullable EventStream stream;

  AdminConnection(RequestGuard guard, Map<String, AdminEndpoint> endpoints, AnswerTurns turns) {
    this.guard = guard;
    this.endpoints = endpoints;
    this.turns = turns;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
    if (!request.decoderResult().isSuccess()) {
      AdminResponse.refuse(context, refusal(request.decoderResult().cause()));
      return;
    }
    boolean keepAlive = HttpUtil.isKeepAlive(request);
    if (!keepAlive) { // RFC 9112 section 9.6: bytes after the last request are not a request
      context.pipeline().get(PacedRequests.class).discardRest(context.channel());
    }
    boolean head = request.method().name().equals("HEAD");
    boolean gzip = request.headers().containsValue(HttpHeaderNames.ACCEPT_ENCODING, "gzip", true);
    String uri = request.uri();
    answer(context, request)
        .whenComplete(
            (reply, failure) -> {
              if (reply == null) {
                fail(context, uri, head, failure);
              } else if (reply.feed().isPresent() && !head) {
                EventFeed feed = reply.feed().get();
                context.executor().execute(() -> stream(context, reply, feed));
              } else {
                reply.feed().ifPresent(EventFeed::close);
                send(context, reply, keepAlive, head, gzip);
              }
            });
  }

  private static void fail(
      ChannelHandlerContext context, String uri, boolean head, @Nullable Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof AnswerTurns.Unwanted) {
      return;
    }
    log.error("admin request {} failed", uri, cause);
    send(context, AdminReply.text(500, "internal error, see the log"), false, head, false);
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

  private CompletionStage<AdminReply> answer(
      ChannelHandlerContext context, FullHttpRequest request) {
    var headers = request.headers();
    String method = request.method().name();
    Optional<AdminReply> refusal = guard.refusal(request);
    if (refusal.isPresent()) {
      return done(refusal.get());
    }
    var uri = new QueryStringDecoder(request.uri());
    try {
      return READING.contains(method) && !PROBES.contains(uri.path())
          ? turns.ask(
              context.executor(),
              () -> context.channel().isActive(),
              () -> dispatch(method, uri, headers))
          : dispatch(method, uri, headers);
    } catch (IllegalArgumentException badQuery) {
      return done(badQuery(badQuery));
    }
  }

  private static AdminReply badQuery(IllegalArgumentException reason) {
    return AdminReply.text(400, "the query is not valid: " + reason.getMessage());
  }

  private static AdminReply refusal(Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return AdminReply.text(
          414, "the request line is longer than " + PacedRequests.MAX_LINE_BYTES + " bytes");
    }
    if (cause instanceof PacedRequests.TooManyHeadersException) {
      return AdminReply.text(431, "there are more than " + PacedRequests.MAX_HEADERS + " headers");
    }
    if (cause instanceof TooLongHttpHeaderException) {
      return AdminReply.text(
          431, "the headers are longer than " + PacedRequests.MAX_HEADER_BYTES + " bytes");
    }
    return AdminReply.text(400, "not a valid HTTP request");
  }

  private CompletionStage<AdminReply> dispatch(
      String method, QueryStringDecoder uri, HttpHeaders headers) {
    AdminEndpoint get = find(AdminRequest.Method.GET, uri.path());
    AdminEndpoint post = find(AdminRequest.Method.POST, uri.path());
    if (get == null && post == null) {
      boolean hasPage = endpoints.containsKey("GET /");
      return done(
          AdminReply.text(404, "no such endpoint" + (hasPage ? "; GET / shows the page" : "")));
    }
    boolean reads = READING.contains(method);
    AdminEndpoint asked = reads ? get : method.equals("POST") ? post : null;
    if (asked == null) {
      return done(AdminReply.notAllowed(get != null, post != null));
    }
    try {
      return asked.answer(
          new AdminRequest(
              reads ? AdminRequest.Method.GET : AdminRequest.Method.POST,
              uri.path(),
              uri.parameters(),
              Optional.ofNullable(headers.get("last-event-id"))));
    } catch (IllegalArgumentException reason) {
      return done(badQuery(reason));
    }
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
    OutOfMemory.onLoop(cause);
    log.debug("admin connection failed", cause);
    context.close();
  }
}
