package io.outrigger.proxy.http2;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.proxy.http2.ConnectionSettings.AbuseLimits;
import io.outrigger.proxy.memory.MemoryAccount;
import io.outrigger.proxy.memory.OutOfMemory;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One socket's HTTP/2 connection, as the one handler of its channel: add it to the pipeline of a
 * channel (before or after it is connected) and it speaks. It ends with {@link
 * ConnectionHandler#onClosed}, also when the channel never became active.
 *
 * <pre>
 * OPENING  -> OPEN     on the peer's preface and first SETTINGS
 * OPEN     -> LEAVING  on drain (final GOAWAY sent), on GOAWAY received, on the last stream id used
 * LEAVING  -> CLOSING  on the last stream ended
 * any      -> CLOSING  on close, on an error of the peer
 * any      -> CLOSED   on the socket closed
 * </pre>
 *
 * <p>RFC 9113. What frames mean is in {@link InboundFrames}, the course of the connection as a
 * whole (preface, SETTINGS, GOAWAY, end) in {@link ConnectionLifecycle}; here are the streams.
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
  private @Nullable ConnectionHandler handler;
  private boolean dirty;
  private boolean wantsCapacity;

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
    return parts().view(id);
  }

  /**
   * Closes the connection when the peer is silent: after {@code time} without a byte while streams
   * are open a PING is sent, and {@code timeout} later the connection is lost.
   */
  public void keepAlive(Duration time, Duration timeout) {
    parts().course().keepAlive(time, timeout);
  }

  @Override
  public boolean canOpenStream() {
    ConnectionParts p = parts();
    boolean can =
        !server
            && p.course().isOpen()
            && p.writer().hasRoomForHeaders()
            && p.table().active() < p.peer().maxConcurrentStreams()
            && p.table().hasLocalIds();
    wantsCapacity |= !can;
    return can;
  }

  @Override
  public @Nullable Http2Stream openStream(StreamHandler handler) {
    if (!canOpenStream()) {
      return null;
    }
    SocketStream stream = newStream(0);
    stream.handler(handler);
    parts().table().addUnnumbered(stream);
    stream.keeps(ConnectionMemory.STREAM_BYTES, 0);
    return stream;
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
    parts().course().drain();
  }

  @Override
  public void close(Http2Error error, String reason) {
    parts().course().close(error, reason);
  }

  /** Closes such that nothing is held for it when this returns. */
  void closeAtOnce(Http2Error error, String reason) {
    parts().course().closeAtOnce(error, reason);
    parts().memory().close();
  }

  /** Lets a test come to the end of the stream ids. */
  void lastLocalIdIsNear() {
    parts().table().nextLocalId(Integer.MAX_VALUE);
  }

  // What streams ask for.

  SendScheduler outbound() {
    return parts().outbound();
  }

  ConnectionMemory memory() {
    return parts().memory();
  }

  MemoryAccount account() {
    return parts().memory().account();
  }

  /** Whether a header block of {@code stream} has to wait for the socket. */
  boolean holdsBack(SocketStream stream) {
    return stream.id() != 0 && !parts().writer().hasRoomForHeaders();
  }

  void writeHeaders(SocketStream stream, HeaderList headers, boolean endStream) {
    if (stream.id() == 0) {
      number(stream, headers.get(KnownName.METHOD));
    }
    parts().writer().headers(stream.id(), headers, endStream);
    onHeadersWritten(stream, endStream);
  }

  void writeHeaders(SocketStream stream, HeaderList.Builder fields, boolean endStream) {
    if (stream.id() == 0) {
      number(stream, fields.get(KnownName.METHOD));
    }
    parts().writer().headers(stream.id(), fields, endStream);
    onHeadersWritten(stream, endStream);
  }

  private void number(SocketStream stream, @Nullable AsciiString method) {
    ConnectionParts p = parts();
    p.table().number(stream);
    if (HeaderRules.HEAD.equals(method)) {
      stream.onHeadRequest();
    }
    if (!p.table().hasLocalIds()) {
      p.course().onIdsUsedUp();
    }
  }

  private void onHeadersWritten(SocketStream stream, boolean endStream) {
    if (endStream) {
      stream.onEndSent();
      settle(stream);
    }
  }

  void onDataSent(SocketStream stream, int bytes) {
    if (!stream.isGone()) {
      stream.handler().onDataSent(bytes);
      settle(stream);
    }
  }

  void returnCredit(SocketStream stream, int bytes) {
    int increment = stream.isReceiveEnded() ? 0 : stream.giveBack(bytes, settings.streamWindow());
    if (increment > 0) {
      parts().writer().windowUpdate(stream.id(), increment);
    }
    parts().credit().onReleased(bytes);
  }

  /** Tells the peer how much more it may send in all. */
  void widenPeer(int increment) {
    ConnectionParts p = parts();
    if (!p.course().isEnding()) {
      p.writer().windowUpdate(0, increment);
    }
  }

  void resetByUs(SocketStream stream, Http2Error error) {
    if (stream.id() != 0) {
      parts().writer().reset(stream.id(), error);
      if (!server) {
        faults().onUsefulFrame(); // pays for the answer of a server that has not heard of it yet
      }
    }
    remove(stream, true);
    stream.release();
  }

  /** Ends {@code stream} for the sake of the others: memory is short. */
  void shed(SocketStream stream) {
    if (stream.hasHandler()) {
      stream.handler().onOverload();
    }
    if (!stream.isGone()) {
      resetByUs(stream, Http2Error.ENHANCE_YOUR_CALM);
      if (stream.hasHandler()) {
        stream.handler().onReset(Http2Error.ENHANCE_YOUR_CALM, false);
      }
    }
  }

  /** Lets a stream go when both sides have said all. */
  void settle(SocketStream stream) {
    if (stream.isFinished() && !stream.isGone()) {
      remove(stream, false);
      stream.release();
    }
  }

  private void remove(SocketStream stream, boolean byOurReset) {
    parts().table().remove(stream, byOurReset);
    parts().outbound().leave(stream);
    parts().credit().onReleased(stream.end());
    if (wantsCapacity || parts().course().isLeaving()) {
      markDirty(); // looked after at the end of the turn, outside of any callback
    }
  }

  // What frames ask for.

  boolean isServer() {
    return server;
  }

  ConnectionHandler handler() {
    return requireNonNull(handler, "connection is in no pipeline");
  }

  ConnectionLifecycle course() {
    return parts().course();
  }

  PeerFaults faults() {
    return parts().faults();
  }

  boolean admits() {
    ConnectionParts p = parts();
    return p.table().active() < settings.maxConcurrentStreams() && !p.course().isLeaving();
  }

  /** A stream that the peer opens with {@code headers}, which are kept as long as it is. */
  SocketStream openPeerStream(int id, HeaderList headers) {
    SocketStream stream = newStream(id);
    parts().table().add(stream);
    parts().endOfTurn().onStream();
    markDirty();
    stream.keeps(ConnectionMemory.STREAM_BYTES + headers.heapBytes(), 0);
    return stream;
  }

  private SocketStream newStream(int id) {
    ConnectionParts p = parts();
    return new SocketStream(this, id, p.peer().initialWindow(), p.course().grantedWindow());
  }

  void resetByPeer(SocketStream stream, Http2Error error) {
    remove(stream, false);
    stream.handler().onReset(error, true);
    stream.release();
  }

  /** Takes {@code stream} from the table because the connection, or the peer's will, ends it. */
  void lose(SocketStream stream, Consumer<StreamHandler> news) {
    if (stream.isGone()) {
      return; // an earlier one's handler has reset it
    }
    remove(stream, true);
    if (stream.hasHandler()) {
      news.accept(stream.handler());
    }
    stream.release();
  }

  void markDirty() {
    if (!dirty) {
      dirty = true;
      parts().endOfTurn().add(this);
    }
  }

  // What the channel and its loop say.

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    ctx.channel().config().setWriteBufferWaterMark(WATER_MARK);
    ConnectionParts made = ConnectionParts.of(this, server, settings, ctx, this::markDirty);
    if (server) {
      ReadTurn.bound(ctx.channel().config(), made.table()::started, made.endOfTurn());
    } else {
      ReadTurn.bound(ctx.channel().config());
    }
    parts = made;
    made.course().listenTo(made.frames(this));
    handler = handlerFactory.apply(this);
    if (ctx.channel().isActive()) {
      parts().course().start();
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    parts().course().start();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      parts().course().read(bytes);
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
    if (parts().outbound().canSend() || wantsCapacity) {
      markDirty();
    }
  }

  @Override
  public void onEndOfTurn() {
    ConnectionParts p = parts();
    try {
      if (!p.course().isEnding()) {
        p.outbound().pump();
        p.course().onEndOfTurn();
      }
      if (wantsCapacity && canOpenStream()) {
        wantsCapacity = false;
        handler().onCapacity();
      }
      dirty = false;
      if (!p.course().isEnding()) {
        flush(p);
      }
    } catch (RuntimeException | Error e) { // no memory for a buffer is an error
      dirty = false;
      onFailure(e);
    }
  }

  private void flush(ConnectionParts p) {
    p.writer().flush();
    p.memory().refresh();
    if (p.outbound().canSend() || (wantsCapacity && canOpenStream())) {
      markDirty(); // only our own buffer was full
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
    parts().course().onSocketClosed(reason);
    parts().memory().close();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException || cause.getCause() instanceof IOException) {
      parts().course().onSocketFailed(SocketErrors.describe(cause)); // of TLS: within another
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
