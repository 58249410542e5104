package io.outrigger.observe.admin;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.util.concurrent.ScheduledFuture;
import io.outrigger.base.LoopConfined;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a feed to one connection, no faster than the client reads. The next events are requested
 * only while the connection is writable, so that a slow client keeps no more than one batch of
 * events in memory. Gaps in the event numbers show a slow client which events it has missed.
 */
@LoopConfined
final class EventStream {
  private static final Logger log = LoggerFactory.getLogger(EventStream.class);

  /** The interval of comment lines, well below the server's idle timeout for connections. */
  private static final int COMMENT_SECONDS = 15;

  private final ChannelHandlerContext context;
  private final EventFeed feed;
  private @Nullable ScheduledFuture<?> comments;
  private boolean requesting;
  private boolean closed;

  EventStream(ChannelHandlerContext context, EventFeed feed) {
    this.context = context;
    this.feed = feed;
  }

  /** Starts the stream; called after the response headers have been written. */
  void start() {
    comments =
        context
            .executor()
            .scheduleAtFixedRate(this::comment, COMMENT_SECONDS, COMMENT_SECONDS, TimeUnit.SECONDS);
    write(": events follow\n\n");
    pull();
  }

  /** Requests the next events if the connection is writable and no earlier request is pending. */
  void pull() {
    if (!closed && !requesting && context.channel().isWritable()) {
      requesting = true;
      feed.next()
          .whenComplete((part, failure) -> context.executor().execute(() -> onPart(part, failure)));
    }
  }

  private void onPart(@Nullable String part, @Nullable Throwable failure) {
    requesting = false;
    if (closed) {
      return;
    }
    if (part == null) {
      log.error("event stream failed", failure);
      context.close();
      return;
    }
    write(part);
    pull();
  }

  /** Writes a comment line, so that client and server notice a broken connection. */
  private void comment() {
    if (context.channel().isWritable()) {
      write(":\n\n");
    }
  }

  private void write(String text) {
    var bytes = Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    context.writeAndFlush(new DefaultHttpContent(bytes), context.voidPromise());
  }

  void close() {
    closed = true;
    if (comments != null) {
      comments.cancel(false);
    }
    feed.close();
  }
}
