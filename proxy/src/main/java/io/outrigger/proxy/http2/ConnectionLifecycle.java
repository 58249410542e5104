package io.outrigger.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.ScheduledFuture;
import io.outrigger.base.LoopConfined;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The course of a connection as a whole: preface, SETTINGS, PING, GOAWAY, end. The states are those
 * of {@link SocketConnection}.
 *
 * <p>RFC 9113 sections 3.4, 5.4, 6.5, 6.7 and 6.8.
 */
@LoopConfined
final class ConnectionLifecycle {
  private static final Logger log = LoggerFactory.getLogger(ConnectionLifecycle.class);

  private static final long DRAIN_PING = 0x6f75747269676772L;
  private static final long KEEP_ALIVE_PING = 0x6b656570616c6976L;

  /** A peer that answers no PING is not asked longer before the final GOAWAY. */
  private static final long DRAIN_PING_MILLIS = 5_000;

  private enum State {
    OPENING,
    OPEN,
    LEAVING,
    CLOSING,
    CLOSED
  }

  private final SocketConnection connection;
  private final ChannelHandlerContext ctx;
  private final ConnectionSettings settings;
  private final FrameWriter writer;
  private final StreamTable table;
  private final PeerSettings peer;
  private final Preface preface = new Preface();

  private State state = State.OPENING;
  private boolean prefaceDone;
  private boolean started;
  private boolean settingsAcked;
  private boolean drainAnnounced;
  private boolean idsUsedUp;
  private long keepAlivesSent;
  private String endReason = "";
  private @Nullable FrameReader reader;
  private @Nullable ScheduledFuture<?> handshakeTimer;
  private @Nullable ScheduledFuture<?> drainTimer;
  private @Nullable KeepAlive keepAlive;
  private @Nullable LingeringClose farewell;

  ConnectionLifecycle(
      SocketConnection connection,
      ChannelHandlerContext ctx,
      ConnectionSettings settings,
      FrameWriter writer,
      StreamTable table,
      PeerSettings peer) {
    this.connection = connection;
    this.ctx = ctx;
    this.settings = settings;
    this.writer = writer;
    this.table = table;
    this.peer = peer;
  }

  void listenTo(FrameListener frames) {
    reader = new FrameReader(frames, settings);
  }

  /** Whether streams may be opened. */
  boolean isOpen() {
    return state == State.OPEN;
  }

  /** Whether the connection ends with its last stream. */
  boolean isLeaving() {
    return state == State.LEAVING;
  }

  /** Whether nothing may be written any more. */
  boolean isEnding() {
    return state == State.CLOSING || state == State.CLOSED;
  }

  /** The window that a new stream's peer may believe it has. */
  int grantedWindow() {
    return settingsAcked
        ? settings.streamWindow()
        : Math.max(settings.streamWindow(), ConnectionSettings.INITIAL_WINDOW);
  }

  void start() {
    if (started) {
      return;
    }
    started = true;
    handshakeTimer =
        ctx.channel()
            .eventLoop()
            .schedule(
                () -> close(Http2Error.SETTINGS_TIMEOUT, "no SETTINGS from the peer in time"),
                settings.timeouts().handshake().toNanos(),
                TimeUnit.NANOSECONDS);
    if (!connection.isServer()) {
      writer.clientPreface();
      writeSettings();
      prefaceDone = true;
    }
  }

  private void writeSettings() {
    writer.settings(settings, !connection.isServer());
    int wider = settings.connectionWindow() - ConnectionSettings.INITIAL_WINDOW;
    if (wider > 0) {
      writer.windowUpdate(0, wider);
    }
  }

  /** Bytes of buffers in which parts of frames wait for the rest. */
  int frameBytes() {
    return reader == null ? 0 : reader.heldBytes();
  }

  /** Whether the peer has begun something that means nothing before its end. */
  boolean isFrameBegun() {
    return reader != null && !isEnding() && reader.isBegun();
  }

  /** Grows with each frame or header block that was whole. */
  long wholeFrames() {
    return reader == null ? 0 : reader.wholeFrames();
  }

  void read(ByteBuf bytes) {
    if (farewell != null) {
      farewell.onRead(bytes.readableBytes());
    }
    FrameReader frames = reader;
    if (isEnding() || frames == null) {
      return; // what comes behind the error, while the farewell is under way
    }
    if (keepAlive != null) {
      keepAlive.onRead();
    }
    try {
      if (prefaceDone || readPreface(bytes)) {
        frames.read(bytes, ctx.alloc());
      }
    } catch (ConnectionFault fault) {
      log.debug("{}: error of the peer: {}", connection, fault.reason());
      close(fault.error(), fault.reason());
    }
  }

  private boolean readPreface(ByteBuf bytes) throws ConnectionFault {
    switch (preface.read(bytes)) {
      case INCOMPLETE -> {
        return false;
      }
      case HTTP2 -> {
        prefaceDone = true;
        writeSettings();
        return true;
      }
      case HTTP1 -> {
        log.debug("{}: HTTP/1 request on a port for HTTP/2", connection);
        var unused = ctx.write(Preface.http1Answer(), ctx.voidPromise());
        end(Http2Error.HTTP_1_1_REQUIRED, "HTTP/1 request");
        return false;
      }
      case TLS -> {
        log.debug("{}: TLS handshake on a plain-text port", connection);
        writeSettings();
        throw new ConnectionFault(Http2Error.PROTOCOL_ERROR, "TLS on a plain-text port");
      }
      case UNKNOWN -> {
        writeSettings();
        throw new ConnectionFault(Http2Error.PROTOCOL_ERROR, "no HTTP/2 preface");
      }
    }
    return false;
  }

  void onSettings(ByteBuf payload) throws ConnectionFault {
    peer.apply(payload);
    writer.settingsAck();
    if (state == State.OPENING) {
      state = State.OPEN;
      cancel(handshakeTimer);
      connection.handler().onReady();
    }
    for (SocketStream stream : table.snapshot()) {
      connection.outbound().join(stream);
    }
    connection.markDirty(); // more streams may be allowed now
  }

  void onSettingsAck() {
    if (settingsAcked) {
      return; // it answers nothing, and harms nobody
    }
    int before = grantedWindow();
    settingsAcked = true;
    for (SocketStream stream : table.snapshot()) {
      stream.shrinkCredit(before - grantedWindow());
    }
  }

  void onPing(long opaque, boolean ack) {
    if (!ack) {
      writer.ping(opaque, true);
    } else if (opaque == DRAIN_PING && drainAnnounced) {
      leaveAfterDrain();
    }
  }

  void onGoAway(int lastStreamId, Http2Error error, String debug) {
    if (isEnding()) {
      return;
    }
    leave(); // first: who is told below and tries again must not get a stream here
    if (!connection.isServer()) {
      for (SocketStream stream : table.snapshot()) {
        if (stream.id() == 0 || stream.id() > lastStreamId) {
          passOver(stream, lastStreamId > 0 && error == Http2Error.NO_ERROR, "GOAWAY " + error);
        }
      }
    }
    connection.handler().onGoAway(lastStreamId, error, debug);
  }

  /**
   * The peer has not taken up {@code stream}.
   *
   * @param inOrder whether it has taken up others, and reports no error
   */
  private void passOver(SocketStream stream, boolean inOrder, String reason) {
    if (inOrder || stream.id() == 0) {
      connection.lose(stream, handler -> handler.onPassedOver(reason));
    } else {
      lose(stream, true, reason);
    }
  }

  private void lose(SocketStream stream, boolean refused, String reason) {
    connection.lose(stream, handler -> handler.onConnectionLost(refused, reason));
  }

  /** The last stream id is in use. The handler hears of it when the turn ends. */
  void onIdsUsedUp() {
    idsUsedUp = true;
    connection.markDirty();
  }

  void drain() {
    if (isEnding() || isLeaving() || drainAnnounced) {
      return;
    }
    if (!prefaceDone) {
      close(Http2Error.NO_ERROR, "draining");
    } else if (connection.isServer()) {
      // Section 6.8: requests that are under way when the first GOAWAY arrives are still served.
      drainAnnounced = true;
      writer.goAway(Integer.MAX_VALUE, Http2Error.NO_ERROR, "draining");
      writer.ping(DRAIN_PING, false);
      drainTimer =
          ctx.channel()
              .eventLoop()
              .schedule(this::leaveAfterDrain, DRAIN_PING_MILLIS, TimeUnit.MILLISECONDS);
    } else {
      leave();
    }
  }

  private void leaveAfterDrain() {
    if (isEnding() || !drainAnnounced) {
      return;
    }
    drainAnnounced = false;
    cancel(drainTimer);
    writer.goAway(table.lastPeerId(), Http2Error.NO_ERROR, "draining");
    leave();
  }

  private void leave() {
    if (!isEnding()) {
      state = State.LEAVING;
      connection.markDirty();
    }
  }

  void onEndOfTurn() {
    if (idsUsedUp && !isLeaving()) {
      idsUsedUp = false;
      leave();
      connection.handler().onGoAway(Integer.MAX_VALUE, Http2Error.NO_ERROR, "stream ids used up");
    }
    if (isLeaving() && table.active() == 0) {
      close(Http2Error.NO_ERROR, endReason.isEmpty() ? "last stream has ended" : endReason);
    }
  }

  void keepAlive(Duration time, Duration timeout) {
    if (keepAlive != null) {
      keepAlive.stop();
    }
    if (!isEnding()) {
      keepAlive = new KeepAlive(connection, ctx.channel().eventLoop(), time, timeout);
      keepAlive.start();
    }
  }

  void sendKeepAlivePing() {
    keepAlivesSent++;
    writer.ping(KEEP_ALIVE_PING, false);
  }

  /** How often the peer was asked whether it is there. */
  long keepAlivesSent() {
    return keepAlivesSent;
  }

  /** Says GOAWAY and ends; when called again, or before the socket is open, ends at once. */
  void close(Http2Error error, String reason) {
    if (state == State.CLOSING) {
      var unused = ctx.close();
      return;
    }
    if (state == State.CLOSED) {
      return;
    }
    if (started && (prefaceDone || error != Http2Error.NO_ERROR)) {
      writer.goAway(table.lastPeerId(), error, reason);
    }
    end(error, reason);
  }

  /** The same, except that the socket closes whether or not the peer has heard why. */
  void closeAtOnce(Http2Error error, String reason) {
    if (!isEnding()) {
      writer.goAway(table.lastPeerId(), error, reason);
      finish(reason);
    }
    var unused = ctx.close();
    onSocketClosed(reason);
  }

  private void end(Http2Error error, String reason) {
    finish(reason);
    // A backend that was left in good order has nothing to hear: its socket goes at once.
    boolean linger = connection.isServer() || error != Http2Error.NO_ERROR;
    farewell = LingeringClose.begin(ctx, linger, error);
  }

  /** Says and hears nothing more; streams end. */
  private void finish(String reason) {
    state = State.CLOSING;
    endReason = reason;
    if (reader != null) {
      reader.release();
    }
    stopTimers();
    writer.flush();
    for (SocketStream stream : table.snapshot()) {
      lose(stream, stream.id() == 0, reason);
    }
    connection.memory().refresh();
    connection.handler().onEnding(reason);
  }

  void onSocketFailed(String reason) {
    if (!isEnding()) {
      state = State.CLOSING;
      endReason = reason;
      var unused = ctx.close();
    }
  }

  void onSocketClosed(String reason) {
    if (state == State.CLOSED) {
      return;
    }
    state = State.CLOSED;
    stopTimers();
    if (reader != null) {
      reader.release();
    }
    String why = endReason.isEmpty() ? reason : endReason;
    for (SocketStream stream : table.snapshot()) {
      lose(stream, stream.id() == 0, why);
    }
    writer.release();
    connection.handler().onClosed(why);
  }

  private void stopTimers() {
    cancel(handshakeTimer);
    cancel(drainTimer);
    if (keepAlive != null) {
      keepAlive.stop();
    }
  }

  private static void cancel(@Nullable ScheduledFuture<?> timer) {
    if (timer != null) {
      timer.cancel(false);
    }
  }
}
