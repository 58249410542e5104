package io.outrigger.http2;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.SocketErrors;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP/2 connection (RFC 9113) of one socket. The last event of a connection is {@link
 * ConnectionHandler#onClosed}, even when the channel never became active.
 */
@LoopConfined
public final class Http2Connection {
  private static final Logger log = LoggerFactory.getLogger(Http2Connection.class);

  private final ChannelHandlerContext ctx;
  private final ConnectionSettings settings;
  private final ConnectionState state;
  private final LoopTurn.Mark dirty;
  private final FrameWriter writer;
  final StreamTable table;
  final SendScheduler scheduler;
  private final AbuseGuard guard;
  final ConnectionStreams streams;
  private final ConnectionLifecycle lifecycle;
  private final FrameReader reader;
  private final SocketReads reads;
  private final ConnectionMemory memory;

  private Http2Connection(boolean server, ConnectionSettings settings, ChannelHandlerContext ctx) {
    this.ctx = ctx;
    this.settings = settings;
    dirty = LoopTurn.of(ctx.channel().eventLoop()).mark(this, this::onEndOfTurn, this::onTick);
    state = new ConnectionState(server, ctx.channel());
    writer = new FrameWriter(ctx, dirty::set);
    var decoder = new HpackDecoder(settings.maxHeaderListBytes());
    guard =
        new AbuseGuard(server, settings.abuse(), ctx.channel().eventLoop().ticker(), dirty::onWork);
    streams = new ConnectionStreams(ctx, settings, state, dirty, writer, guard);
    table = streams.table();
    scheduler = streams.scheduler();
    lifecycle = new ConnectionLifecycle(ctx, settings, state, dirty, writer, streams);
    reader =
        new FrameReader(
            new InboundFrames(state, dirty, writer, decoder, guard, streams, lifecycle), settings);
    reads = SocketReads.of(ctx.channel());
    reads.attach(server, dirty::work, dirty);
    memory =
        new ConnectionMemory(
            new ConnectionMemory.Parts(ctx, state, reader, writer, streams, lifecycle, reads),
            settings);
    try {
      dirty.open(); // last: after a failure of the constructor, nothing else would close it
    } catch (OutOfMemoryError e) {
      dirty.close();
      memory.close();
      throw e;
    }
  }

  /** The handler for an accepted channel; calls {@code handlerFactory} once, on the event loop. */
  public static ChannelHandler server(
      ConnectionSettings settings, Function<Http2Connection, ConnectionHandler> handlerFactory) {
    return new Http2Handler(true, settings, handlerFactory);
  }

  /** The handler for a client channel; calls {@code handlerFactory} once, on the event loop. */
  public static ChannelHandler client(
      ConnectionSettings settings, Function<Http2Connection, ConnectionHandler> handlerFactory) {
    return new Http2Handler(false, settings, handlerFactory);
  }

  /** Installs {@link SocketReads}; needed if a handler such as TLS reads before HTTP/2. */
  public static void prepareReads(Channel channel) {
    var unused = SocketReads.of(channel);
  }

  public EventLoop eventLoop() {
    return ctx.channel().eventLoop();
  }

  /** The address of the peer; null when the socket has no remote address or is closed. */
  public @Nullable SocketAddress remoteAddress() {
    return ctx.channel().remoteAddress();
  }

  /** A snapshot of the connection for status pages, with an {@code id} that the caller chooses. */
  public SocketView view(long id) {
    return new SocketView(
        id,
        Optional.ofNullable(ctx.channel().localAddress()),
        Optional.ofNullable(ctx.channel().remoteAddress()),
        table.streams(),
        lifecycle.keepAlivesSent());
  }

  /**
   * Closes the connection when the peer no longer responds (A8). If nothing was read for the
   * keepalive time, a PING is sent, but only while a stream is open. The connection is closed when
   * nothing is read within the keepalive timeout after the PING.
   */
  public void keepAlive(Duration time, Duration timeout) {
    lifecycle.keepAlive(time, timeout);
  }

  /** Whether as many streams are open as the peer admits (SETTINGS_MAX_CONCURRENT_STREAMS). */
  public boolean isAtStreamLimit() {
    return streams.isAtLimit();
  }

  /**
   * Opens a stream (client side); its first {@code sendHeaders} sends the request. Returns null in
   * these cases: the connection is not yet open or is going away; the socket is full; as many
   * streams are open as the peer admits; many reset requests may still be unread ({@link
   * ResetFence}). {@link ConnectionHandler#onCapacity} is called when a stream can be opened again.
   */
  public @Nullable Http2Stream openStream(StreamHandler handler) {
    return streams.open(handler);
  }

  /** The number of streams that are open in at least one direction. */
  public int activeStreams() {
    return table.active();
  }

  /** Whether the peer has sent the head of a response on any stream. */
  public boolean hasAnswered() {
    return table.hasHead();
  }

  /**
   * Ends the connection gracefully, so that no request fails. To drain, a server sends GOAWAY in
   * two steps, and a client opens no new streams. The connection closes when the last stream has
   * ended.
   */
  public void drain() {
    lifecycle.drain();
  }

  /** Sends GOAWAY and closes the connection; calls {@link StreamHandler#onConnectionLost}. */
  public void close(Http2Error error, String reason) {
    lifecycle.close(error, reason);
  }

  // Methods called for events of the channel and its event loop.

  /** Processes received bytes; the caller releases their buffer. */
  void read(ByteBuf bytes) {
    int count = bytes.readableBytes();
    reads.onDelivered();
    try {
      lifecycle.read(bytes);
      memory.onRead(count);
    } catch (RuntimeException | OutOfMemoryError e) {
      onFailure(e);
    }
  }

  private void onTick(long nowNanos) {
    try {
      if (!state.isClosed()) {
        streams.onTick();
        guard.onTick(nowNanos);
        memory.onTick(nowNanos);
        lifecycle.onTick(nowNanos);
      }
    } catch (RuntimeException | OutOfMemoryError e) {
      onFailure(e);
    }
  }

  void onWritabilityChanged() {
    if (scheduler.canSend() || streams.wantsCapacity()) {
      dirty.set();
    }
  }

  private void onEndOfTurn() {
    try {
      if (!state.isEnding()) {
        scheduler.pump();
        lifecycle.onEndOfTurn();
      }
      if (streams.takeCapacity()) {
        lifecycle.handler().onCapacity();
      }
      dirty.clear();
      if (!state.isEnding()) {
        flush();
      }
    } catch (RuntimeException | Error e) { // such as an OutOfMemoryError of a buffer
      dirty.clear();
      onFailure(e);
    }
  }

  private void flush() {
    writer.flush();
    if (writer.awaitsDirectBuffer()) {
      reads.waitForBuffer();
    }
    OutOfMemoryError lack = writer.failure();
    if (lack != null) {
      onFailure(lack);
      return;
    }
    if (scheduler.canSend() || (streams.wantsCapacity() && streams.canOpen())) {
      dirty.set(); // only the writer's buffer was full, and it has room again
    }
    if (writer.unsentBytes() > settings.abuse().unsentBytes()) {
      close(Http2Error.ENHANCE_YOUR_CALM, "peer does not read");
    }
  }

  void onSocketClosed(String reason) {
    dirty.close();
    lifecycle.onSocketClosed(reason);
    memory.close();
  }

  /** Closes the connection because of a bug or a lack of memory in this process. */
  void onFailure(Throwable cause) {
    try {
      if (settings.memory().onFailure(cause)) {
        log.debug("{}: closed for lack of memory: {}", this, cause.getMessage());
        lifecycle.closeForMemory(Http2Error.INTERNAL_ERROR, "out of memory");
      } else {
        log.error("{}: closed because of a bug", this, cause);
        close(Http2Error.INTERNAL_ERROR, "internal error");
      }
    } catch (RuntimeException | Error again) {
      log.debug("{}: closed without GOAWAY", this, again);
      var unused = ctx.close();
    }
  }

  @Override
  public String toString() {
    return state.toString();
  }

  /** Passes the events of a channel to its connection, which {@link #handlerAdded} creates. */
  @LoopConfined
  private static final class Http2Handler extends ChannelInboundHandlerAdapter {
    /** The kernel doubles the value of SO_SNDBUF to account for its own overhead. */
    private static final int SEND_BUFFER_BYTES = 64 << 10;

    private static final WriteBufferWaterMark WATER_MARK =
        new WriteBufferWaterMark(64 << 10, 256 << 10);

    private final boolean server;
    private final ConnectionSettings settings;
    private final Function<Http2Connection, ConnectionHandler> handlerFactory;
    private @Nullable Http2Connection connection;

    Http2Handler(
        boolean server,
        ConnectionSettings settings,
        Function<Http2Connection, ConnectionHandler> handlerFactory) {
      this.server = server;
      this.settings = settings;
      this.handlerFactory = handlerFactory;
    }

    private Http2Connection connection() {
      return requireNonNull(connection, "connection is in no pipeline");
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      try {
        ctx.channel().config().setWriteBufferWaterMark(WATER_MARK);
        boundSendBuffer(ctx.channel());
        var made = new Http2Connection(server, settings, ctx);
        connection = made;
        made.lifecycle.attach(made.reader, handlerFactory.apply(made));
        if (ctx.channel().isActive()) {
          made.lifecycle.start();
        }
      } catch (RuntimeException | Error e) { // Netty would leave the channel open without a handler
        var unused = ctx.channel().close();
        throw e;
      }
    }

    /**
     * Limits the kernel's send buffer. Without a limit, the kernel buffers up to 4 MiB for a peer
     * that does not read. The kernel's buffers count against the container's memory limit. With
     * epoll and TCP, the limit does not apply to bytes in flight, so throughput to a distant
     * backend is not reduced.
     */
    private static void boundSendBuffer(Channel channel) {
      try {
        if (channel instanceof EpollSocketChannel) {
          long unsent = SEND_BUFFER_BYTES;
          channel.config().setOption(EpollChannelOption.TCP_NOTSENT_LOWAT, unsent);
        } else {
          channel.config().setOption(ChannelOption.SO_SNDBUF, SEND_BUFFER_BYTES);
        }
      } catch (ChannelException e) {
        log.debug("{}: its send buffer stays as the system has it", channel, e);
      }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      connection().lifecycle.start();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      try {
        connection().read(bytes);
      } finally {
        bytes.release();
      }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
      connection().onWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      connection().onSocketClosed("socket closed by the peer");
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
      if (connection != null) { // null after a failure of its constructor
        connection.onSocketClosed("socket was never connected");
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      if (cause instanceof SocketReads.NoBufferNow) {
        return; // SocketReads has scheduled another read
      }
      if (server && (cause instanceof SSLException || cause.getCause() instanceof SSLException)) {
        connection().lifecycle.abort(Http2Error.PROTOCOL_ERROR, SocketErrors.describe(cause));
      } else if (cause instanceof IOException || cause.getCause() instanceof IOException) {
        connection().lifecycle.onSocketFailed(SocketErrors.describe(cause)); // TLS wraps errors
      } else {
        connection().onFailure(cause);
      }
    }
  }
}
