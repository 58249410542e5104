package io.outrigger.observe.admin;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.outrigger.base.LoopConfined;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes server-sent events to one connection, no faster than the client reads. The next events are
 * requested only while the connection is writable, so a slow client holds only one part in memory.
 * Gaps in the event numbers show a slow client which events it has missed.
 */
@LoopConfined
final class EventStream {
  private static final Logger log = LoggerFactory.getLogger(EventStream.class);

  /** The interval of requests while there are no new events. */
  static final int POLL_MILLIS = 250;

  /** After this many requests without new events, 15 s, the stream writes a comment line. */
  static final int POLLS_PER_COMMENT = 60;

  private final ChannelHandlerContext context;
  private final Supplier<CompletionStage<String>> next;
  private boolean isRequesting;
  private int emptyPolls;

  /**
   * @param next returns the next events as text; an empty text when there are no new events
   */
  EventStream(ChannelHandlerContext context, Supplier<CompletionStage<String>> next) {
    this.context = context;
    this.next = next;
  }

  /** Starts the stream; called after the response headers have been written. */
  void start() {
    write(": events follow\n\n");
    pull();
  }

  /** Requests the next part if the connection is writable and no part is requested already. */
  void pull() {
    if (!isRequesting && context.channel().isActive() && context.channel().isWritable()) {
      isRequesting = true;
      next.get()
          .whenComplete((part, failure) -> context.executor().execute(() -> onPart(part, failure)));
    }
  }

  private void onPart(@Nullable String part, @Nullable Throwable failure) {
    if (part == null) {
      log.error("event stream failed", failure);
      context.close();
    } else if (part.isEmpty()) {
      if (++emptyPolls % POLLS_PER_COMMENT == 0) {
        write(":\n\n"); // by this line, client and server notice a broken connection
      }
      var unused = context.executor().schedule(this::pullAgain, POLL_MILLIS, TimeUnit.MILLISECONDS);
    } else {
      write(part);
      pullAgain();
    }
  }

  private void pullAgain() {
    isRequesting = false;
    pull();
  }

  private void write(String text) {
    var bytes = Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    context.writeAndFlush(new DefaultHttpContent(bytes), context.voidPromise());
  }
}
