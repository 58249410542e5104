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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to an admin server. If a client pipelines, and a request arrives before the reply
 * to the previous request was sent, the connection ends after that reply. Requests that read state
 * wait in the {@link ReplyQueue}; probes do not wait, because their timeouts are short. If the
 * connection closes during the wait, no reply is created.
 */
@LoopConfined
final class AdminConnection extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final Logger log = LoggerFactory.getLogger(AdminConnection.class);
  private static final Set<String> READ_METHODS = Set.of("GET", "HEAD");
  private static final Set<String> PROBES = Set.of("/live", "/ready");

  /** Returns the reply that rejects a request; empty for a request that may reach its endpoint. */
  private final Function<HttpRequest, Optional<AdminReply>> guard;

  private final Map<String, AdminEndpoint> endpoints;
  private final ReplyQueue replyQueue;
  private final AdminBudget budget;
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
    isLast = isAnswering || !request.decoderResult().isSuccess() || !HttpUtil.isKeepAlive(request);
    if (!isAnswering) {
      begin(context, request);
    }
  }

  private void begin(ChannelHandlerContext context, FullHttpRequest request) {
    isAnswering = true;
    if (!request.decoderResult().isSuccess()) {
      send(context, refusal(request.decoderResult().cause()), false);
      return;
    }
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
                            context.write(reply.beginning());
                            stream = new EventStream(context, reply.feed().get());
                            stream.start();
                          } else {
                            send(context, reply, head);
                          }
                        }));
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
    isLast = true;
    send(context, AdminReply.text(500, "internal error, see the log"), head);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (stream != null) {
      stream.pull();
    }
    context.fireChannelWritabilityChanged();
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

  /**
   * Sends a reply, and closes only the sending side after the last reply. The client then closes
   * the connection. If unread bytes had arrived, closing both sides would reset the socket, and the
   * client could lose the reply (RFC 9112 section 9.6).
   */
  private void send(ChannelHandlerContext context, AdminReply reply, boolean head) {
    FullHttpResponse response = reply.response(head);
    AdminBudget.Unread unread =
        budget.add(response.content().readableBytes(), context.channel()::close);
    if (isLast) {
      response.headers().set(HttpHeaderNames.CONNECTION, "close");
    }
    context
        .writeAndFlush(response)
        .addListener(
            written -> {
              unread.done();
              if (!written.isSuccess()) {
                context.close();
              } else if (isLast) {
                ((DuplexChannel) context.channel()).shutdownOutput();
              }
              isAnswering = false;
            });
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
