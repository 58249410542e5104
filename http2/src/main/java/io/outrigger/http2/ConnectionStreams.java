package io.outrigger.http2;

import io.netty.channel.ChannelHandlerContext;
import io.outrigger.base.LoopConfined;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens and ends the streams of one connection. Sends the streams' header blocks and
 * WINDOW_UPDATEs. Applies the rules that concern both a stream and its connection. {@link
 * SocketStream} holds the state of a single stream, and {@link SendScheduler} sends DATA.
 *
 * <p>Implements RFC 9113 section 5.
 */
@LoopConfined
final class ConnectionStreams {
  /** The approximate heap size of a stream and its call, without the header lists. */
  static final int STREAM_BYTES = 4 << 10;

  private static final int HEAVY_BYTES = 256 << 10;

  private static final Logger log = LoggerFactory.getLogger(ConnectionStreams.class);

  private final ConnectionSettings settings;
  private final ConnectionState state;
  private final LoopTurn.Mark dirty;
  private final FrameWriter writer;
  private final PeerSettings peer;
  private final AbuseGuard guard;
  private final StreamTable table;
  private final SendScheduler scheduler;
  private final ResetFence fence;

  /**
   * The receive window that the peer may assume for a new stream: the configured window. Until the
   * peer has acknowledged our SETTINGS, the window is at least the RFC's default.
   */
  private int grantedWindow;

  /** The number of bytes of DATA that the peer may send on all streams together. */
  private int credit;

  /** The sum of the bytes by which the receive windows of open streams were widened. */
  private int totalWidening;

  /** The number of times that DATA was consumed or sent, or a stream has ended. */
  private long moves;

  /** Whether {@link ConnectionHandler#onCapacity} must be called when a stream can be opened. */
  private boolean wantsCapacity;

  ConnectionStreams(
      ChannelHandlerContext ctx,
      ConnectionSettings settings,
      ConnectionState state,
      LoopTurn.Mark dirty,
      FrameWriter writer,
      AbuseGuard guard) {
    this.settings = settings;
    this.state = state;
    this.dirty = dirty;
    this.writer = writer;
    this.guard = guard;
    peer = new PeerSettings(!state.isServer(), writer);
    table = new StreamTable(state.isServer());
    scheduler = new SendScheduler(writer, ctx.alloc(), guard, settings.memory(), dirty);
    credit = settings.windows().connection();
    grantedWindow = Math.max(settings.windows().stream(), ConnectionSettings.INITIAL_WINDOW);
    fence = new ResetFence(writer);
  }

  PeerSettings peer() {
    return peer;
  }

  StreamTable table() {
    return table;
  }

  SendScheduler scheduler() {
    return scheduler;
  }

  // Streams that this side opens.

  /**
   * Whether {@link #open} would succeed now. If {@code canOpen} returns false, {@link
   * #takeCapacity} later returns true once, as soon as a stream can be opened.
   */
  boolean canOpen() {
    boolean can =
        !state.isServer()
            && state.isOpen()
            && writer.hasRoomForHeaders()
            && !isAtLimit()
            && fence.isOpen()
            && table.hasLocalIds();
    wantsCapacity |= !can;
    return can;
  }

  boolean isAtLimit() {
    return table.active() >= peer.maxConcurrentStreams();
  }

  /** Opens a stream that has no id yet; returns null when no stream can be opened. */
  @Nullable SocketStream open(StreamHandler handler) {
    if (!canOpen()) {
      return null;
    }
    SocketStream stream = newStream(0);
    stream.handler(handler);
    table.addUnnumbered(stream);
    return stream;
  }

  boolean wantsCapacity() {
    return wantsCapacity;
  }

  /**
   * After {@link #canOpen} returned false, returns true once, as soon as a stream can be opened.
   */
  boolean takeCapacity() {
    if (wantsCapacity && canOpen()) {
      wantsCapacity = false;
      return true;
    }
    return false;
  }

  // Streams that the peer opens.

  boolean admits() {
    return table.active() < settings.maxConcurrentStreams() && !state.isGoingAway();
  }

  /** Adds a stream that the peer has opened; the stream's size in memory includes its headers. */
  SocketStream openByPeer(int id, HeaderList headers) {
    SocketStream stream = newStream(id);
    table.add(stream);
    dirty.onWork(LoopTurn.STREAM_WORK);
    stream.headBytes(headers.heapBytes());
    return stream;
  }

  private SocketStream newStream(int id) {
    return new SocketStream(
        this, id, peer.initialWindow(), grantedWindow, settings.windows().stream());
  }

  // Sending.

  /** Whether the stream's header block has to wait until the socket accepts more bytes. */
  boolean holdsBack(SocketStream stream) {
    return stream.id() != 0 && !writer.hasRoomForHeaders();
  }

  void writeHeaders(SocketStream stream, HeaderList headers, boolean endStream) {
    if (stream.id() == 0) {
      table.number(stream);
      if (HeaderRules.HEAD.equals(headers.get(KnownName.METHOD))) {
        stream.onHeadRequest();
      }
    }
    writer.headers(stream.id(), headers, endStream);
    if (endStream) {
      stream.onEndSent();
      stream.settle();
    }
  }

  /**
   * Counts received DATA in the connection's window (section 5.2); returns false if the DATA
   * exceeds the window. A WINDOW_UPDATE is sent when half of the connection's window is used, even
   * if the DATA was not consumed: otherwise, streams that consume nothing could block all others.
   */
  boolean receive(int bytes) {
    if (bytes > credit) {
      return false;
    }
    credit -= bytes;
    int used = settings.windows().connection() - credit;
    if (used > 0 && used >= credit && !state.isEnding()) {
      credit = settings.windows().connection();
      writer.windowUpdate(0, used);
    }
    return true;
  }

  void returnCredit(SocketStream stream, int bytes) {
    moves++;
    int increment = stream.isReceiveEnded() ? 0 : stream.giveBack(bytes);
    if (increment > 0) {
      writer.windowUpdate(stream.id(), increment + widen(stream));
    }
  }

  /**
   * Quadruples the window of a stream whose DATA is consumed, up to the maximum stream window. The
   * sum of the growth of all stream windows is limited to the size of the connection's window. A
   * stream that stalls from its beginning never holds more than its initial window.
   *
   * @return the number of bytes by which the window has grown
   */
  private int widen(SocketStream stream) {
    int window = stream.receiveWindow();
    int room =
        Math.min(
            settings.windows().widestStream() - window,
            settings.windows().connection() - totalWidening);
    if (room <= 0 || settings.memory().isShort()) {
      return 0;
    }
    int more = (int) Math.min(room, 3L * window);
    totalWidening += more;
    stream.widenReceiveWindow(more);
    return more;
  }

  /** The approximate number of bytes of header lists, unconsumed DATA and pending DATA. */
  long queuedBytes() {
    return table.sum(SocketStream::queuedBytes);
  }

  /**
   * Whether the streams of this connection use much memory. If so, new requests on this connection
   * are refused while the memory of the process is full.
   */
  boolean isHeavy() {
    long bytes = (long) STREAM_BYTES * table.active();
    return bytes >= HEAVY_BYTES || bytes + queuedBytes() >= HEAVY_BYTES;
  }

  long pendingBytes() {
    return table.sum(SocketStream::pendingBytes);
  }

  void onMoved() {
    moves++;
  }

  long moves() {
    return moves;
  }

  // SETTINGS.

  /**
   * Called when the peer has acknowledged our SETTINGS. If our configured window is smaller than
   * the default, the acknowledgment shrinks the windows of open streams.
   */
  void onSettingsAck() {
    int change = grantedWindow - settings.windows().stream();
    grantedWindow = settings.windows().stream();
    for (SocketStream stream : table.snapshot()) {
      stream.shrinkCredit(change);
    }
  }

  /**
   * Called when the peer has acknowledged an empty SETTINGS frame, which shows that the peer has
   * read all earlier frames.
   */
  void onEmptySettingsAck() {
    fence.onAck();
    wakeIfWanted();
  }

  void onTick() {
    table.onTick();
    if (fence.onTick()) {
      wakeIfWanted();
    }
  }

  private void wakeIfWanted() {
    if (wantsCapacity) {
      dirty.set(); // callers are notified at the end of the turn
    }
  }

  /**
   * Applies a change of SETTINGS_INITIAL_WINDOW_SIZE to the send windows, none of which may exceed
   * 2^31-1. Each change of the setting visits all streams, and one SETTINGS frame may contain many
   * changes, so {@link AbuseGuard} counts the visits.
   */
  void resizeSendWindows(int change) throws ConnectionFault {
    List<SocketStream> all = table.snapshot();
    int couldSend = scheduler.queuedStreams();
    for (SocketStream stream : all) {
      if (!stream.widenSendWindow(change)) {
        throw new ConnectionFault(Http2Error.FLOW_CONTROL_ERROR, "window passes 2^31-1");
      }
      if (change > 0) {
        scheduler.join(stream);
      }
    }
    guard.onWindowsChanged(all.size(), scheduler.queuedStreams() - couldSend);
  }

  // Ending streams.

  void resetByUs(SocketStream stream, Http2Error error) {
    if (stream.id() != 0) {
      if (!stream.isReceiveEnded()) {
        guard.onDataExpected(stream.credit());
      }
      writer.reset(stream.id(), error);
      if (!state.isServer()) {
        guard.onUsefulFrame(); // offsets a frame of a server that has not yet received the reset
        if (!stream.hasHead()) {
          fence.onReset();
        }
      }
    }
    remove(stream, true);
    stream.release();
  }

  void resetByPeer(SocketStream stream, Http2Error error) {
    remove(stream, false);
    try {
      stream.handler().onReset(error);
    } finally {
      stream.release();
    }
  }

  /**
   * Removes a stream from the table after the connection or the peer has ended it, and then passes
   * the stream's handler to a callback. An exception of a handler, for example for lack of memory,
   * is caught, so that the handlers of other streams are notified too.
   */
  void lose(SocketStream stream, Consumer<StreamHandler> last) {
    if (stream.isGone()) {
      return; // the handler of another lost stream has reset this stream
    }
    remove(stream, true);
    try {
      if (stream.hasHandler()) {
        last.accept(stream.handler());
      }
    } catch (RuntimeException | Error e) {
      if (!settings.memory().onFailure(e)) {
        log.error(
            "{}: stream {}: the handler failed at the end of the stream", state, stream.id(), e);
      }
    } finally {
      stream.release();
    }
  }

  void finish(SocketStream stream) {
    remove(stream, false);
    stream.release();
  }

  private void remove(SocketStream stream, boolean byOurReset) {
    table.remove(stream, byOurReset);
    scheduler.leave(stream);
    totalWidening -= stream.receiveWindow() - settings.windows().stream();
    stream.end();
    moves++;
    if (wantsCapacity || state.isGoingAway()) {
      dirty.set(); // callers are notified at the end of the turn, outside of callbacks
    }
  }
}
