package io.outrigger.observe.admin;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.util.concurrent.ScheduledFuture;
import io.outrigger.base.LoopConfined;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a feed to one connection, no faster than it is read: a part is asked for only while the
 * connection is writable, so a slow reader costs one part of memory and learns from the feed what
 * it missed.
 */
@LoopConfined
final class EventStream {
  private static final Logger log = LoggerFactory.getLogger(EventStream.class);

  /** Well within the time after which the server gives up a silent connection. */
  private static final int COMMENT_SECONDS = 15;

  private final ChannelHandlerContext context;
  private final EventFeed feed;
  private final AtomicBoolean woken = new AtomicBoolean();
  private @Nullable ScheduledFuture<?> comments;
  private boolean asking;
  private boolean wanted = true;
  private boolean closed;

  EventStream(ChannelHandlerContext context, EventFeed feed) {
    this.context = context;
    this.feed = feed;
  }

  /** The head has been written. */
  void start() {
    comments =
        context
            .executor()
            .scheduleAtFixedRate(this::comment, COMMENT_SECONDS, COMMENT_SECONDS, TimeUnit.SECONDS);
    feed.onMore(this::wake);
    write(": events follow\n\n");
    pull();
  }

  /** There is more; on any thread. */
  private void wake() {
    if (woken.compareAndSet(false, true)) {
      context
          .executor()
          .execute(
              () -> {
                woken.set(false);
                wanted = true;
                pull();
              });
    }
  }

  /** The connection may be writable again. */
  void onWritable() {
    pull();
  }

  private void pull() {
    if (closed || asking || !wanted || !context.channel().isWritable()) {
      return;
    }
    asking = true;
    wanted = false;
    feed.next()
        .whenComplete((part, failure) -> context.executor().execute(() -> onPart(part, failure)));
  }

  private void onPart(EventFeed.@Nullable Part part, @Nullable Throwable failure) {
    asking = false;
    if (closed) {
      return;
    }
    if (part == null) {
      log.error("event stream failed", failure);
      context.close();
      return;
    }
    if (!part.text().isEmpty()) {
      write(part.text());
    }
    wanted |= !part.isLast();
    pull();
  }

  /** Shows both ends that the other is there. */
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
