package io.outrigger.http2;

import io.netty.channel.ChannelHandlerContext;
import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.memory.OutOfMemory;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the streams of one connection begin and end, and what they send but DATA: the rules that
 * concern a stream together with its connection. A stream's own state is {@link SocketStream}'s,
 * DATA leaves by {@link SendScheduler}.
 *
 * <p>RFC 9113 section 5.
 */
@LoopConfined
final class ConnectionStreams {
  private static final Logger log = LoggerFactory.getLogger(ConnectionStreams.class);

  private final ConnectionSettings settings;
  private final ConnectionState state;
  private final FlushQueue.Mark dirty;
  private final FrameWriter writer;
  private final PeerSettings peer;
  private final AbuseGuard guard;
  private final StreamTable table;
  private final SendScheduler scheduler;
  private final ConnectionReceiveWindow receiveWindow;
  private final ResetFence fence;

  /** The window that a new stream's peer may believe it has. */
  private int grantedWindow;

  /** By how much the windows of open streams have grown together. */
  private int widened;

  /** About what streams hold: their heads, DATA that came and has not gone on, DATA to be sent. */
  private long queuedBytes;

  /** DATA to be sent. */
  private long pendingBytes;

  /** How often DATA has gone on or was sent, or a stream has ended. */
  private long moves;

  /** A stream was wanted and could not be opened. */
  private boolean wantsCapacity;

  private boolean idsUsedUp;

  /**
   * No streams yet.
   *
   * @param dirty set when there is something to do at the end of the turn
   */
  ConnectionStreams(
      ChannelHandlerContext ctx,
      ConnectionSettings settings,
      ConnectionState state,
      FlushQueue.Mark dirty,
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
    receiveWindow = new ConnectionReceiveWindow(state, writer, settings.connectionWindow());
    grantedWindow = Math.max(settings.streamWindow(), ConnectionSettings.INITIAL_WINDOW);
    fence = new ResetFence(writer);
  }

  /** What the peer allows streams. */
  PeerSettings peer() {
    return peer;
  }

  StreamTable table() {
    return table;
  }

  SendScheduler scheduler() {
    return scheduler;
  }

  ConnectionReceiveWindow receiveWindow() {
    return receiveWindow;
  }

  // Streams of ours.

  /** Whether {@link #open} would succeed now; if not, {@link #takesCapacity} is true later. */
  boolean canOpen() {
    boolean can =
        !state.isServer()
            && state.isOpen()
            && writer.hasRoomForHeaders()
            && table.active() < peer.maxConcurrentStreams()
            && fence.isOpen()
            && table.hasLocalIds();
    wantsCapacity |= !can;
    return can;
  }

  /** A stream that has no number before its first header block; null when there can be none. */
  @Nullable SocketStream open(StreamHandler handler) {
    if (!canOpen()) {
      return null;
    }
    SocketStream stream = newStream(0);
    stream.handler(handler);
    table.addUnnumbered(stream);
    return stream;
  }

  /** Whether a stream was wanted and could not be opened. */
  boolean wantsCapacity() {
    return wantsCapacity;
  }

  /** Whether a stream that was wanted can be opened now; true once for each time. */
  boolean takesCapacity() {
    if (wantsCapacity && canOpen()) {
      wantsCapacity = false;
      return true;
    }
    return false;
  }

  private void number(SocketStream stream, @Nullable AsciiString method) {
    table.number(stream);
    if (HeaderRules.HEAD.equals(method)) {
      stream.onHeadRequest();
    }
    if (!table.hasLocalIds()) {
      idsUsedUp = true; // looked after at the end of the turn in which its header block leaves
    }
  }

  /** Whether the last id of ours is in use. */
  boolean areIdsUsedUp() {
    return idsUsedUp;
  }

  // Streams of the peer.

  boolean admits() {
    return table.active() < settings.maxConcurrentStreams() && !state.isLeaving();
  }

  /** A stream that the peer opens with {@code headers}, which are kept as long as it is. */
  SocketStream openByPeer(int id, HeaderList headers) {
    SocketStream stream = newStream(id);
    table.add(stream);
    dirty.onStream();
    stream.queue(headers.heapBytes());
    return stream;
  }

  private SocketStream newStream(int id) {
    return new SocketStream(this, id, peer.initialWindow(), grantedWindow, settings.streamWindow());
  }

  // What streams send.

  /** Whether a header block of {@code stream} has to wait for the socket. */
  boolean holdsBack(SocketStream stream) {
    return stream.id() != 0 && !writer.hasRoomForHeaders();
  }

  void writeHeaders(SocketStream stream, HeaderList headers, boolean endStream) {
    if (stream.id() == 0) {
      number(stream, headers.get(KnownName.METHOD));
    }
    writer.headers(stream.id(), headers, endStream);
    onHeadersWritten(stream, endStream);
  }

  void writeHeaders(SocketStream stream, HeaderList.Builder fields, boolean endStream) {
    if (stream.id() == 0) {
      number(stream, fields.get(KnownName.METHOD));
    }
    writer.headers(stream.id(), fields, endStream);
    onHeadersWritten(stream, endStream);
  }

  private static void onHeadersWritten(SocketStream stream, boolean endStream) {
    if (endStream) {
      stream.onEndSent();
      stream.settle();
    }
  }

  /** {@code bytes} of what the peer sent on {@code stream} have gone on. */
  void returnCredit(SocketStream stream, int bytes) {
    moves++;
    int increment = stream.isReceiveEnded() ? 0 : stream.giveBack(bytes);
    if (increment > 0) {
      writer.windowUpdate(stream.id(), increment + widen(stream));
    }
  }

  /**
   * A stream whose DATA goes on gets four times its window, as far as it may grow and the
   * connection's window has room for all that streams have grown by. One that stands still from its
   * beginning never holds more than its first window.
   *
   * @return how much wider the window is now
   */
  private int widen(SocketStream stream) {
    int window = stream.receiveWindow();
    int room =
        Math.min(settings.widestStreamWindow() - window, settings.connectionWindow() - widened);
    if (room <= 0 || settings.memory().isShort()) {
      return 0;
    }
    int more = (int) Math.min(room, 3L * window);
    widened += more;
    stream.widenReceiveWindow(more);
    return more;
  }

  /** A stream holds {@code change} bytes more. */
  void onQueued(int change) {
    queuedBytes += change;
  }

  long queuedBytes() {
    return queuedBytes;
  }

  /** {@code change} more bytes wait on a stream to be sent. */
  void onPending(int change) {
    pendingBytes += change;
    queuedBytes += change;
  }

  long pendingBytes() {
    return pendingBytes;
  }

  void onMoved() {
    moves++;
  }

  /** How often anything has moved so far. */
  long moves() {
    return moves;
  }

  // What SETTINGS change.

  /** The peer has our SETTINGS: streams that it opened before may have less of a window. */
  void onSettingsAck() {
    int change = grantedWindow - settings.streamWindow();
    grantedWindow = settings.streamWindow();
    for (SocketStream stream : table.snapshot()) {
      stream.shrinkCredit(change);
    }
  }

  /** The peer has read what was sent before SETTINGS that changed nothing. */
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
      dirty.set(); // looked after at the end of the turn
    }
  }

  /**
   * Every value in a frame takes effect (section 6.5.3), and none may carry a window too far. One
   * look at each stream does, however many values a frame has; the peer is charged for each look.
   */
  void resizeSendWindows(int least, int most, int last) throws ConnectionFault {
    List<SocketStream> all = table.snapshot();
    int couldSend = scheduler.inLine();
    for (SocketStream stream : all) {
      if (!SendWindow.fits(stream.sendWindow(), least)
          || !SendWindow.fits(stream.sendWindow(), most)
          || !stream.widenSendWindow(last)) {
        throw new ConnectionFault(Http2Error.FLOW_CONTROL_ERROR, "window passes 2^31-1");
      }
      if (last > 0) {
        scheduler.join(stream);
      }
    }
    if (guard.onWindowsChanged(all.size(), scheduler.inLine() - couldSend)) {
      throw new ConnectionFault(
          Http2Error.ENHANCE_YOUR_CALM, "INITIAL_WINDOW_SIZE changes too often");
    }
  }

  // How streams end.

  void resetByUs(SocketStream stream, Http2Error error) {
    if (stream.id() != 0) {
      if (!stream.isReceiveEnded()) {
        guard.onDataExpected(stream.credit());
      }
      writer.reset(stream.id(), error);
      if (!state.isServer()) {
        guard.onUsefulFrame(); // pays for the answer of a server that has not heard of it yet
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
      stream.handler().onReset(error, true);
    } finally {
      stream.release();
    }
  }

  /**
   * Takes {@code stream} from the table because the connection, or the peer's will, ends it.
   * Whatever happens to one (memory may be short), the others are told too.
   */
  void lose(SocketStream stream, Consumer<StreamHandler> last) {
    if (stream.isGone()) {
      return; // an earlier one's handler has reset it
    }
    remove(stream, true);
    try {
      if (stream.hasHandler()) {
        last.accept(stream.handler());
      }
    } catch (RuntimeException | Error e) {
      if (!OutOfMemory.onLoop(e)) {
        log.error("{}: stream {}: its end was not told", state, stream.id(), e);
      }
    } finally {
      stream.release();
    }
  }

  /** Both sides of {@code stream} have said all. */
  void finish(SocketStream stream) {
    remove(stream, false);
    stream.release();
  }

  private void remove(SocketStream stream, boolean byOurReset) {
    table.remove(stream, byOurReset);
    scheduler.leave(stream);
    widened -= stream.receiveWindow() - settings.streamWindow();
    stream.end();
    moves++;
    if (wantsCapacity || state.isLeaving()) {
      dirty.set(); // looked after at the end of the turn, outside of any callback
    }
  }
}
