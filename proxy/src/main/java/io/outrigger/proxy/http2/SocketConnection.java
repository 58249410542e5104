package io.outrigger.proxy.http2;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.outrigger.base.LoopConfined;
import io.outrigger.proxy.http2.ConnectionSettings.AbuseLimits;
import io.outrigger.proxy.memory.OutOfMemory;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One socket's HTTP/2 connection, as the one handler of its channel: add it to the pipeline of a
 * channel (before or after it is connected) and it speaks. It ends with {@link
 * ConnectionHandler#onClosed}, also when the channel never became active.
 *
 * <p>RFC 9113. Where it stands is {@link ConnectionState}, the connection as a whole (preface,
 * SETTINGS, GOAWAY, end) {@link ConnectionLifecycle}, its streams {@link ConnectionStreams}, what
 * frames mean {@link InboundFrames}.
 */
@LoopConfined
public final class SocketConnection extends ChannelInboundHandlerAdapter
    implements Http2Connection, EndOfTurn.Dirty {
  private static final Logger log = LoggerFactory.getLogger(SocketConnection.class);

  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(64 << 10, 256 << 10);

  private final boolean server;
  private final ConnectionSettings settings;
  private final Function<SocketConnection, ConnectionHandler> handlerFactory;
  private @Nullable ConnectionParts parts;

  private SocketConnection(
      boolean server,
      ConnectionSettings settings,
      Function<SocketConnection, ConnectionHandler> handlerFactory) {
    this.server = server;
    this.settings = settings;
    this.handlerFactory = handlerFactory;
  }

  /** The side that accepts; {@code handlerFactory} is called once, on the event loop. */
  public static SocketConnection server(
      ConnectionSettings settings, Function<SocketConnection, ConnectionHandler> handlerFactory) {
    return new SocketConnection(true, settings, handlerFactory);
  }

  /** The side that connects; {@code handlerFactory} is called once, on the event loop. */
  public static SocketConnection client(
      ConnectionSettings settings, Function<SocketConnection, ConnectionHandler> handlerFactory) {
    return new SocketConnection(false, settings, handlerFactory);
  }

  private ConnectionParts parts() {
    return requireNonNull(parts, "connection is in no pipeline");
  }

  /** Where everything of this connection runs. */
  public EventLoop eventLoop() {
    return parts().ctx().channel().eventLoop();
  }

  /** The peer; null when it has no address or is gone. */
  public @Nullable SocketAddress remoteAddress() {
    return parts().ctx().channel().remoteAddress();
  }

  /** The connection as status views show it, with the number that its owner gave it. */
  public SocketView view(long id) {
    return new SocketView(
        id,
        Optional.ofNullable(parts().ctx().channel().localAddress()),
        Optional.ofNullable(parts().ctx().channel().remoteAddress()),
        parts().table().streams(),
        parts().lifecycle().keepAlivesSent());
  }

  /**
   * Closes the connection when the peer is silent: after {@code time} without a byte while streams
   * are open a PING is sent, and {@code timeout} later the connection is lost.
   */
  public void keepAlive(Duration time, Duration timeout) {
    parts().lifecycle().keepAlive(time, timeout);
  }

  @Override
  public boolean canOpenStream() {
    return parts().streams().canOpen();
  }

  @Override
  public @Nullable Http2Stream openStream(StreamHandler handler) {
    return parts().streams().open(handler);
  }

  @Override
  public int activeStreams() {
    return parts().table().active();
  }

  /** Whether the peer has begun an answer to any call. */
  public boolean hasAnswered() {
    return parts().table().hasHead();
  }

  @Override
  public void drain() {
    parts().lifecycle().drain();
  }

  @Override
  public void close(Http2Error error, String reason) {
    parts().lifecycle().close(error, reason);
  }

  /** Lets a test come to the end of the stream ids. */
  void lastLocalIdIsNear() {
    parts().table().nextLocalId(Integer.MAX_VALUE);
  }

  /** For tests: who sends DATA. */
  SendScheduler scheduler() {
    return parts().scheduler();
  }

  // What the channel and its loop say.

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    ctx.channel().config().setWriteBufferWaterMark(WATER_MARK);
    EndOfTurn turn = EndOfTurn.of(ctx.channel().eventLoop());
    ConnectionParts made = ConnectionParts.of(server, settings, ctx, turn.mark(this));
    if (server) {
      ReadTurn.bound(ctx.channel().config(), made.table()::started, turn);
    } else {
      ReadTurn.bound(ctx.channel().config());
    }
    parts = made;
    ConnectionHandler listener = handlerFactory.apply(this);
    made.lifecycle().join(made.reader(), listener, made.memory()::refresh);
    if (ctx.channel().isActive()) {
      parts().lifecycle().start();
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    parts().lifecycle().start();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      parts().lifecycle().read(bytes);
      parts().memory().refresh();
      parts().memory().account().relieveIfHeavy();
    } catch (RuntimeException | OutOfMemoryError e) {
      onFailure(e);
    } finally {
      bytes.release();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    ConnectionParts p = parts();
    if (p.scheduler().canSend() || p.streams().wantsCapacity()) {
      p.dirty().set();
    }
  }

  @Override
  public void onEndOfTurn() {
    ConnectionParts p = parts();
    try {
      if (!p.state().isEnding()) {
        p.scheduler().pump();
        p.lifecycle().onEndOfTurn();
      }
      if (p.streams().takesCapacity()) {
        p.lifecycle().handler().onCapacity();
      }
      p.dirty().clear();
      if (!p.state().isEnding()) {
        flush(p);
      }
    } catch (RuntimeException | Error e) { // no memory for a buffer is an error
      p.dirty().clear();
      onFailure(e);
    }
  }

  private void flush(ConnectionParts p) {
    p.writer().flush();
    p.memory().refresh();
    if (p.scheduler().canSend() || (p.streams().wantsCapacity() && p.streams().canOpen())) {
      p.dirty().set(); // only our own buffer was full
    }
    AbuseLimits limits = settings.abuse();
    if (p.ctx().channel().bytesBeforeWritable() > limits.unsentBytes()) {
      close(Http2Error.ENHANCE_YOUR_CALM, "peer does not read");
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    onSocketClosed("socket closed by the peer");
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    onSocketClosed("socket was never connected");
  }

  private void onSocketClosed(String reason) {
    parts().lifecycle().onSocketClosed(reason);
    parts().memory().close();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException || cause.getCause() instanceof IOException) {
      parts().lifecycle().onSocketFailed(SocketErrors.describe(cause)); // of TLS: within another
    } else {
      onFailure(cause);
    }
  }

  private void onFailure(Throwable cause) {
    if (cause instanceof OutOfMemoryError) {
      OutOfMemory.onLoop(cause);
      log.debug("{}: closed for want of memory: {}", this, cause.getMessage());
    } else {
      log.error("{}: closed because of a bug of ours", this, cause);
    }
    try {
      close(Http2Error.INTERNAL_ERROR, "internal error");
    } catch (RuntimeException | Error again) {
      log.debug("{}: closed without a farewell", this, again);
      var unused = parts().ctx().close();
    }
  }

  @Override
  public String toString() {
    ConnectionParts p = parts;
    return (server ? "server " : "client ") + (p == null ? "connection" : p.ctx().channel());
  }
}
