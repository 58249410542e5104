package io.outrigger.observe.admin;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.timeout.IdleStateEvent;
import io.outrigger.base.DidYouMean;
import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.memory.OutOfMemory;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to an admin server. Pipelined requests wait until the response to the previous
 * request has been written to the socket. When {@link #MAX_PENDING} requests wait, the socket is
 * not read. Requests that read the proxy's state also wait in the {@link ReplyQueue}. Probes skip
 * this queue, because their timeouts are short. A waiting request whose connection closes gets no
 * reply.
 */
@LoopConfined
final class AdminConnection extends SimpleChannelInboundHandler<FullHttpRequest> {
  /** While fewer requests wait, the socket is read, so that a close by the client is detected. */
  static final int MAX_PENDING = 16;

  private static final Logger log = LoggerFactory.getLogger(AdminConnection.class);
  private static final Set<String> READ_METHODS = Set.of("GET", "HEAD");
  private static final Set<String> PROBES = Set.of("/live", "/ready");

  /** Returns the reply that rejects a request; empty for a request that may reach its endpoint. */
  private final Function<HttpRequest, Optional<AdminReply>> guard;

  private final Map<String, AdminEndpoint> endpoints;
  private final ReplyQueue replyQueue;
  private final AdminBudget budget;
  private final Queue<FullHttpRequest> pending = new ArrayDeque<>();
  private boolean isAnswering;

  /** Whether the last request has arrived; all later bytes are ignored (RFC 9112 section 9.6). */
  private boolean isLast;

  private @Nullable EventStream stream;

  AdminConnection(
      Function<HttpRequest, Optional<AdminReply>> guard,
      Map<String, AdminEndpoint> endpoints,
      ReplyQueue replyQueue,
      AdminBudget budget) {
    this.guard = guard;
    this.endpoints = endpoints;
    this.replyQueue = replyQueue;
    this.budget = budget;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
    if (isLast) {
      return;
    }
    if (isAnswering) {
      pending.add(request.retain());
      context.channel().config().setAutoRead(pending.size() < MAX_PENDING);
    } else {
      begin(context, request);
    }
    isLast = !request.decoderResult().isSuccess() || !HttpUtil.isKeepAlive(request);
  }

  private void begin(ChannelHandlerContext context, FullHttpRequest request) {
    isAnswering = true;
    if (!request.decoderResult().isSuccess()) {
      refuse(context, refusal(request.decoderResult().cause()));
      return;
    }
    boolean keepAlive = HttpUtil.isKeepAlive(request);
    boolean head = request.method().name().equals("HEAD");
    String uri = request.uri();
    answer(context, request)
        .whenComplete(
            (reply, failure) ->
                context
                    .executor()
                    .execute(
                        () -> {
                          if (reply == null) {
                            fail(context, uri, head, failure);
                          } else if (reply.feed().isPresent() && !head) {
                            stream(context, reply, reply.feed().get());
                          } else {
                            reply.feed().ifPresent(EventFeed::close);
                            send(context, reply, keepAlive, head);
                          }
                        }));
  }

  /** Begins the next request after the previous response has been written to the socket. */
  private void next(ChannelHandlerContext context) {
    isAnswering = false;
    context.channel().config().setAutoRead(true);
    FullHttpRequest request = pending.poll();
    if (request != null) {
      try {
        begin(context, request);
      } finally {
        request.release();
      }
    }
  }

  private void fail(
      ChannelHandlerContext context, String uri, boolean head, @Nullable Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof CancellationException) {
      return; // the client has disconnected
    }
    log.error("admin request {} failed", uri, cause);
    send(context, AdminReply.text(500, "internal error, see the log"), false, head);
  }

  private void stream(ChannelHandlerContext context, AdminReply reply, EventFeed feed) {
    if (!context.channel().isActive()) {
      feed.close();
      return;
    }
    context.write(reply.beginning());
    var opened = new EventStream(context, feed);
    stream = opened;
    opened.start();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (stream != null) {
      stream.pull();
    }
    context.fireChannelWritabilityChanged();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    pending.forEach(FullHttpRequest::release);
    pending.clear();
    if (stream != null) {
      stream.close();
    }
    context.fireChannelInactive();
  }

  private CompletionStage<AdminReply> answer(
      ChannelHandlerContext context, FullHttpRequest request) {
    Optional<AdminReply> refusal = guard.apply(request);
    if (refusal.isPresent()) {
      return refusal.get().done();
    }
    String method = request.method().name();
    AdminRequest asked;
    try {
      var uri = new QueryStringDecoder(request.uri());
      asked = new AdminRequest(uri.path(), uri.parameters(), request.headers());
    } catch (IllegalArgumentException reason) {
      return AdminReply.text(400, "the query is not valid: " + reason.getMessage()).done();
    }
    return READ_METHODS.contains(method) && !PROBES.contains(asked.path())
        ? replyQueue.submit(
            context.executor(), () -> context.channel().isActive(), () -> dispatch(method, asked))
        : dispatch(method, asked);
  }

  private static AdminReply refusal(Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return AdminReply.text(
          414, "the request line is longer than " + AdminServer.MAX_LINE_BYTES + " bytes");
    }
    return cause instanceof TooLongHttpHeaderException
        ? AdminReply.text(431, "the headers are too long; send fewer cookies")
        : AdminReply.text(400, "not a valid HTTP request");
  }

  private CompletionStage<AdminReply> dispatch(String method, AdminRequest request) {
    AdminEndpoint get = find("GET", request.path());
    AdminEndpoint post = find("POST", request.path());
    if (get == null && post == null) {
      boolean hasPage = endpoints.containsKey("GET /");
      List<String> paths =
          endpoints.keySet().stream().map(key -> key.substring(key.indexOf(' ') + 1)).toList();
      String likely = DidYouMean.question(request.path(), paths);
      String page = hasPage ? "; GET / shows the page" : "";
      return AdminReply.text(404, "no such endpoint" + likely + page).done();
    }
    AdminEndpoint asked = READ_METHODS.contains(method) ? get : method.equals("POST") ? post : null;
    if (asked == null) {
      return AdminReply.notAllowed(get != null, post != null).done();
    }
    try {
      return asked.answer(request);
    } catch (IllegalArgumentException reason) {
      return AdminReply.text(400, String.valueOf(reason.getMessage())).done();
    }
  }

  private @Nullable AdminEndpoint find(String method, String path) {
    AdminEndpoint exact = endpoints.get(method + " " + path);
    if (exact != null) {
      return exact;
    }
    int slash = path.lastIndexOf('/');
    return slash < 0 ? null : endpoints.get(method + " " + path.substring(0, slash) + "/*");
  }

  private void send(
      ChannelHandlerContext context, AdminReply reply, boolean keepAlive, boolean head) {
    FullHttpResponse response = reply.response(head);
    AdminBudget.Unread unread =
        budget.add(response.content().readableBytes(), context.channel()::close);
    if (!keepAlive) {
      response.headers().set(HttpHeaderNames.CONNECTION, "close");
    }
    context
        .writeAndFlush(response)
        .addListener(
            written -> {
              unread.done();
              if (keepAlive && written.isSuccess()) {
                next(context);
              } else {
                context.close();
              }
            });
  }

  /**
   * Rejects a request that has not been read completely, and closes the sending side. The decoder
   * discards further bytes until the client closes the connection or the connection is idle.
   * Immediate closing would reset the socket while it has unread bytes, and the client would lose
   * the response (RFC 9112 section 9.6).
   */
  private static void refuse(ChannelHandlerContext context, AdminReply reply) {
    FullHttpResponse response = reply.response(false);
    response.headers().set(HttpHeaderNames.CONNECTION, "close");
    context
        .writeAndFlush(response)
        .addListener(written -> ((DuplexChannel) context.channel()).shutdownOutput());
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
