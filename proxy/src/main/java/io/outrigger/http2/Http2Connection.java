package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.memory.OutOfMemory;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One socket's HTTP/2 connection. All calls on its event loop. It ends with {@link
 * ConnectionHandler#onClosed}, also when the channel never became active.
 *
 * <p>RFC 9113. It puts the layers together; each calls the ones below it:
 *
 * <pre>
 * {@link Http2Handler}         what the channel and its loop say
 * {@link Http2Connection}      a read, the end of a turn, a failure
 * {@link InboundFrames}        what frames mean; {@link PeerFaults}
 * {@link ConnectionMemory}     what is held for the peer, and who is let go
 * {@link ConnectionLifecycle}  preface, SETTINGS, PING, GOAWAY, end; moves {@link ConnectionState}
 * {@link ConnectionStreams}    how streams begin and end; {@link StreamTable}, {@link SendScheduler}
 * {@link FrameReader}          and {@link FrameWriter}, {@link HpackDecoder}, {@link HpackEncoder}
 * </pre>
 */
@LoopConfined
public final class Http2Connection {
  private static final Logger log = LoggerFactory.getLogger(Http2Connection.class);

  private final ChannelHandlerContext ctx;
  private final ConnectionSettings settings;
  private final ConnectionState state;
  private final FlushQueue.Mark dirty;
  private final FrameWriter writer;
  private final StreamTable table;
  private final SendScheduler scheduler;
  private final ConnectionStreams streams;
  private final ConnectionLifecycle lifecycle;
  private final FrameReader reader;
  private final ReadGate gate;
  private final ConnectionMemory memory;

  /**
   * @param dirty set when there is something to do at the end of the turn
   */
  Http2Connection(
      boolean server,
      ConnectionSettings settings,
      ChannelHandlerContext ctx,
      FlushQueue.Mark dirty) {
    this.ctx = ctx;
    this.settings = settings;
    this.dirty = dirty;
    state = new ConnectionState(server, ctx.channel());
    writer = new FrameWriter(ctx, dirty::set);
    var decoder = new HpackDecoder(settings.maxHeaderListBytes());
    var guard = new AbuseGuard(settings.abuse(), ctx.channel().eventLoop().ticker());
    streams = new ConnectionStreams(ctx, settings, state, dirty, writer, guard);
    table = streams.table();
    scheduler = streams.scheduler();
    lifecycle = new ConnectionLifecycle(ctx, settings, state, dirty, writer, streams);
    var faults = new PeerFaults(state, writer, streams, guard);
    reader =
        new FrameReader(
            new InboundFrames(server, dirty, decoder, streams, lifecycle, faults), settings);
    gate = new ReadGate(ctx.channel(), table);
    memory =
        new ConnectionMemory(
            new ConnectionMemory.Parts(ctx, state, reader, writer, streams, lifecycle, guard, gate),
            settings);
  }

  /**
   * The handler for the pipeline of a channel that was accepted, connected or not. {@code
   * handlerFactory} is called once, on the event loop.
   */
  public static ChannelHandler server(
      ConnectionSettings settings, Function<Http2Connection, ConnectionHandler> handlerFactory) {
    return new Http2Handler(true, settings, handlerFactory);
  }

  /** The same for a channel that connects. */
  public static ChannelHandler client(
      ConnectionSettings settings, Function<Http2Connection, ConnectionHandler> handlerFactory) {
    return new Http2Handler(false, settings, handlerFactory);
  }

  /** Comes before the first read of a channel that others read before its connection does. */
  public static void prepareReads(Channel channel) {
    var unused = ReadTurn.bound(channel.config());
  }

  /** Where everything of this connection runs. */
  public EventLoop eventLoop() {
    return ctx.channel().eventLoop();
  }

  /** The peer; null when it has no address or is gone. */
  public @Nullable SocketAddress remoteAddress() {
    return ctx.channel().remoteAddress();
  }

  /** The connection as status views show it, with the number that its owner gave it. */
  public SocketView view(long id) {
    return new SocketView(
        id,
        Optional.ofNullable(ctx.channel().localAddress()),
        Optional.ofNullable(ctx.channel().remoteAddress()),
        table.streams(),
        lifecycle.keepAlivesSent());
  }

  /**
   * Closes the connection when the peer is silent (A8): when nothing was read for {@code time} and
   * a stream is open, or is opened, a PING is sent; when nothing is read for another {@code
   * timeout} the connection is lost.
   */
  public void keepAlive(Duration time, Duration timeout) {
    lifecycle.keepAlive(time, timeout);
  }

  /** Whether {@link #openStream} would succeed now. */
  public boolean canOpenStream() {
    return streams.canOpen();
  }

  /**
   * Opens a stream (client side); its first {@code sendHeaders} is the request.
   *
   * @return null when the peer's MAX_CONCURRENT_STREAMS are in use, it has yet to read many
   *     requests that were reset ({@link ResetFence}), or the connection goes away; {@link
   *     ConnectionHandler#onCapacity} tells when to try again
   */
  public @Nullable Http2Stream openStream(StreamHandler handler) {
    Http2Stream stream = streams.open(handler);
    if (stream != null) {
      lifecycle.onStreamOpened();
    }
    return stream;
  }

  /** Streams that are open in any half. */
  public int activeStreams() {
    return table.active();
  }

  /** Whether the peer has begun an answer to any call. */
  public boolean hasAnswered() {
    return table.hasHead();
  }

  /**
   * Ends the connection without losing a call: GOAWAY in two steps (server side), no new streams,
   * close when the last one has ended.
   */
  public void drain() {
    lifecycle.drain();
  }

  /** Sends GOAWAY and closes at once; streams are told. */
  public void close(Http2Error error, String reason) {
    lifecycle.close(error, reason);
  }

  /** Lets a test come to the end of the stream ids. */
  void lastLocalIdIsNear() {
    table.nextLocalId(Integer.MAX_VALUE);
  }

  /** How many streams wait to send DATA, for tests. */
  int inLine() {
    return scheduler.inLine();
  }

  // What the channel and its loop say.

  /** {@code listener} hears of the connection; before the first byte. */
  void listener(ConnectionHandler listener) {
    lifecycle.join(reader, listener);
  }

  void start() {
    lifecycle.start();
  }

  ReadGate gate() {
    return gate;
  }

  /** Takes what is in {@code bytes}, which the caller releases. */
  void read(ByteBuf bytes) {
    int count = bytes.readableBytes();
    try {
      lifecycle.read(bytes);
      memory.onRead(count);
    } catch (RuntimeException | OutOfMemoryError e) {
      onFailure(e);
    }
  }

  void onWritabilityChanged() {
    if (scheduler.canSend() || streams.wantsCapacity()) {
      dirty.set();
    }
  }

  void onEndOfTurn() {
    try {
      if (!state.isEnding()) {
        scheduler.pump();
        lifecycle.onEndOfTurn();
      }
      if (streams.takesCapacity()) {
        lifecycle.handler().onCapacity();
      }
      dirty.clear();
      if (!state.isEnding()) {
        flush();
      }
    } catch (RuntimeException | Error e) { // no memory for a buffer is an error
      dirty.clear();
      onFailure(e);
    }
  }

  private void flush() {
    writer.flush();
    if (writer.hasFailed()) {
      lifecycle.abort(Http2Error.INTERNAL_ERROR, "no memory for what is to be sent");
      return;
    }
    if (scheduler.canSend() || (streams.wantsCapacity() && streams.canOpen())) {
      dirty.set(); // only our own buffer was full
    }
    if (writer.unsentBytes() > settings.abuse().unsentBytes()) {
      close(Http2Error.ENHANCE_YOUR_CALM, "peer does not read");
    }
  }

  void onSocketClosed(String reason) {
    lifecycle.onSocketClosed(reason);
    memory.close();
  }

  void onSocketFailed(String reason) {
    lifecycle.onSocketFailed(reason);
  }

  /** Ends the connection for a failure of ours. */
  void onFailure(Throwable cause) {
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
      var unused = ctx.close();
    }
  }

  @Override
  public String toString() {
    return state.toString();
  }
}
