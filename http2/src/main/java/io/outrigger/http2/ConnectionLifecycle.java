package io.outrigger.http2;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.outrigger.base.LoopConfined;
import io.outrigger.http2.ConnectionState.Phase;
import io.outrigger.http2.StreamHandler.Refusal;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the events of the connection as a whole: preface, SETTINGS, PING, GOAWAY and close. The
 * current state is kept in {@link ConnectionState}.
 *
 * <p>Implements RFC 9113 sections 3.4, 5.4, 6.5, 6.7 and 6.8.
 */
@LoopConfined
final class ConnectionLifecycle {
  private static final Logger log = LoggerFactory.getLogger(ConnectionLifecycle.class);

  private static final long DRAIN_PING = 0x6f75747269676772L;

  /** How long a drain waits for the answer to its PING before the final GOAWAY is sent. */
  private static final long DRAIN_PING_NANOS = TimeUnit.SECONDS.toNanos(5);

  /**
   * The time limit of a drain's PING if no stream is open. The limit is short, because a suspended
   * app would never answer.
   */
  private static final long IDLE_DRAIN_PING_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ChannelHandlerContext ctx;
  private final ConnectionSettings settings;
  private final ConnectionState state;
  private final LoopTurn.Mark dirty;
  private final FrameWriter writer;
  private final StreamTable table;
  private final ConnectionStreams streams;

  /** The client's preface; null after it was received (server) or written (client). */
  private @Nullable Preface preface = new Preface();

  private boolean started;
  private boolean settingsWritten;
  private boolean settingsAcked;
  private boolean drainAnnounced;

  /** Whether the peer has sent nothing since a drain began. */
  private boolean isSilent;

  /** The last stream ID of our last GOAWAY; a later GOAWAY must not increase it (section 6.8). */
  private int announcedId = Integer.MAX_VALUE;

  private long startNanos;
  private long drainNanos;
  private String endReason = "";
  private boolean isOverload;
  private @Nullable FrameReader reader;
  private @Nullable ConnectionHandler handler;
  private @Nullable KeepAlive keepAlive;
  private @Nullable LingeringClose lingering;

  ConnectionLifecycle(
      ChannelHandlerContext ctx,
      ConnectionSettings settings,
      ConnectionState state,
      LoopTurn.Mark dirty,
      FrameWriter writer,
      ConnectionStreams streams) {
    this.ctx = ctx;
    this.settings = settings;
    this.state = state;
    this.dirty = dirty;
    this.writer = writer;
    this.streams = streams;
    table = streams.table();
  }

  /** Sets the frame reader and the handler, which are created after the lifecycle object. */
  void attach(FrameReader frameReader, ConnectionHandler connectionHandler) {
    reader = frameReader;
    handler = connectionHandler;
  }

  ConnectionHandler handler() {
    return requireNonNull(handler, "no handler yet");
  }

  void start() {
    if (started) {
      return;
    }
    started = true;
    startNanos = nanoTime();
    if (!state.isServer()) {
      writer.clientPreface();
      writeSettings();
      preface = null;
    }
  }

  /** Writes this side's first SETTINGS, unless they are written already (RFC 9113 section 3.4). */
  private void writeSettings() {
    if (settingsWritten) {
      return;
    }
    settingsWritten = true;
    writer.settings(settings, !state.isServer());
    int wider = settings.windows().connection() - ConnectionSettings.INITIAL_WINDOW;
    if (wider > 0) {
      writer.windowUpdate(0, wider);
    }
  }

  void read(ByteBuf bytes) {
    isSilent = false;
    if (lingering != null) {
      lingering.onRead(bytes.readableBytes());
      dirty.onWork(SocketReads.MUCH_WORK);
    }
    FrameReader frames = reader;
    if (state.isEnding() || frames == null) {
      return; // bytes that follow the error are ignored while the socket closes
    }
    if (keepAlive != null) {
      keepAlive.onRead();
    }
    try {
      Preface expected = preface;
      if (expected != null) {
        readPreface(expected, bytes);
      }
      if (preface == null) {
        frames.read(bytes, ctx.alloc());
      }
    } catch (ConnectionFault fault) {
      log.debug("{}: error of the peer: {}", state, fault.reason());
      close(fault.error(), fault.reason());
    }
  }

  private void readPreface(Preface expected, ByteBuf bytes) throws ConnectionFault {
    switch (expected.read(bytes)) {
      case INCOMPLETE -> {}
      case HTTP2 -> {
        preface = null;
        writeSettings();
      }
      case HTTP1 -> {
        log.debug("{}: HTTP/1 request on a port for HTTP/2", state);
        if (!settingsWritten) { // otherwise an answer would follow the frames of a drain
          var unused = ctx.write(Preface.http1Answer(), ctx.voidPromise());
        }
        end(Http2Error.HTTP_1_1_REQUIRED, "HTTP/1 request");
      }
      case TLS -> {
        log.debug("{}: TLS handshake on a plain-text port", state);
        throw new ConnectionFault(Http2Error.PROTOCOL_ERROR, "TLS on a plain-text port");
      }
      case UNKNOWN -> throw new ConnectionFault(Http2Error.PROTOCOL_ERROR, "no HTTP/2 preface");
    }
  }

  void onSettings(ByteBuf payload) throws ConnectionFault {
    streams.peer().apply(payload, streams::resizeSendWindows);
    writer.settingsAck();
    if (state.isOpening()) {
      state.enter(Phase.OPEN);
      handler().onReady();
    }
    dirty.set(); // the peer's SETTINGS may allow more streams
  }

  void onSettingsAck() {
    if (settingsAcked) {
      streams.onEmptySettingsAck(); // a surplus acknowledgment is harmless
    } else {
      settingsAcked = true;
      streams.onSettingsAck();
    }
  }

  void onPing(long opaque, boolean ack) {
    if (!ack) {
      writer.ping(opaque, true);
    } else if (opaque == DRAIN_PING && drainAnnounced) {
      sendFinalGoAway();
    }
  }

  void onGoAway(int lastStreamId, Http2Error error, String debug) {
    if (state.isEnding()) {
      return;
    }
    enterGoingAway(); // first: a retry started by a callback below must not open a stream here
    if (!state.isServer()) {
      for (SocketStream stream : table.snapshot()) {
        if (stream.id() == 0 || stream.id() > lastStreamId) {
          boolean inOrder = lastStreamId > 0 && error == Http2Error.NO_ERROR;
          boolean isForgotten = inOrder || stream.id() == 0;
          lose(stream, isForgotten ? Refusal.OF_CONNECTION : Refusal.OF_CALL, "GOAWAY " + error);
        }
      }
    }
    handler().onGoAway(lastStreamId, error, debug);
  }

  private void loseAll(String reason) {
    for (SocketStream stream : table.snapshot()) {
      lose(stream, stream.id() == 0 ? Refusal.OF_CALL : Refusal.NONE, reason);
    }
  }

  private void lose(SocketStream stream, Refusal refusal, String reason) {
    streams.lose(
        stream,
        handler -> {
          try {
            if (isOverload) {
              handler.onOverload();
            }
          } finally { // even if the handler finds no memory for a reply
            handler.onConnectionLost(refusal, reason);
          }
        });
  }

  void drain() {
    if (state.isEnding() || state.isGoingAway() || drainAnnounced) {
      return;
    }
    if (!started) {
      close(Http2Error.NO_ERROR, "draining");
    } else if (state.isServer()) {
      // RFC 9113 section 6.8: a server accepts requests in flight at the time of its first GOAWAY.
      writeSettings(); // the client's preface may be in flight, too
      drainAnnounced = true;
      isSilent = true;
      writer.goAway(Integer.MAX_VALUE, Http2Error.NO_ERROR, "draining");
      writer.ping(DRAIN_PING, false);
      drainNanos = nanoTime();
    } else {
      enterGoingAway();
    }
  }

  private void sendFinalGoAway() {
    if (state.isEnding() || !drainAnnounced) {
      return;
    }
    drainAnnounced = false;
    goAway(Http2Error.NO_ERROR, "draining");
    enterGoingAway();
  }

  private void goAway(Http2Error error, String reason) {
    announcedId = Math.min(announcedId, table.lastPeerId());
    writer.goAway(announcedId, error, reason);
  }

  private void enterGoingAway() {
    if (!state.isEnding()) {
      state.enter(Phase.GOING_AWAY);
      dirty.set();
    }
  }

  void onEndOfTurn() {
    if (!table.hasLocalIds() && !state.isGoingAway()) {
      enterGoingAway();
      handler().onGoAway(Integer.MAX_VALUE, Http2Error.NO_ERROR, "stream ids used up");
    }
    if (state.isGoingAway() && table.active() == 0) {
      close(Http2Error.NO_ERROR, "last stream has ended");
    }
  }

  void keepAlive(Duration time, Duration timeout) {
    keepAlive = new KeepAlive(writer, table, nanoTime(), time, timeout);
  }

  void onTick(long nowNanos) {
    if (lingering != null) {
      lingering.onTick(nowNanos);
    } else if (started
        && state.isOpening()
        && nowNanos - startNanos >= settings.timeouts().handshake().toNanos()) {
      close(Http2Error.SETTINGS_TIMEOUT, "no SETTINGS from the peer in time");
    } else if (drainAnnounced && nowNanos - drainNanos >= drainPingNanos()) {
      sendFinalGoAway();
    } else if (keepAlive != null && !state.isEnding() && keepAlive.isLost(nowNanos)) {
      close(Http2Error.NO_ERROR, "keepalive: no answer to PING");
    }
  }

  private long drainPingNanos() {
    return table.active() == 0 ? IDLE_DRAIN_PING_NANOS : DRAIN_PING_NANOS;
  }

  private long nanoTime() {
    return ctx.channel().eventLoop().ticker().nanoTime();
  }

  long keepAlivesSent() {
    return keepAlive == null ? 0 : keepAlive.sent();
  }

  /**
   * Sends GOAWAY and closes the connection. If {@code close} is called again, the socket is closed
   * immediately. Before {@link #start}, {@code close} sends no GOAWAY.
   */
  void close(Http2Error error, String reason) {
    if (state.isClosed()) {
      return;
    }
    if (state.isEnding()) {
      var unused = ctx.close();
      return;
    }
    if (started && (preface == null || error != Http2Error.NO_ERROR)) {
      writeSettings();
      goAway(error, reason);
    }
    end(error, reason);
  }

  /**
   * Closes the connection to free memory: sends GOAWAY and closes the socket without waiting until
   * the peer has read the GOAWAY. Handlers of streams receive {@link StreamHandler#onOverload}.
   */
  void closeForMemory(Http2Error error, String reason) {
    if (!state.isEnding()) {
      isOverload = true;
      writeSettings();
      goAway(error, reason);
    }
    abort(error, reason);
  }

  void abort(Http2Error error, String reason) {
    if (!state.isEnding()) {
      finish(error, reason);
    }
    var unused = ctx.close();
    onSocketClosed(reason);
  }

  private void end(Http2Error error, String reason) {
    finish(error, reason);
    // Without an error, a client closes the socket immediately: a backend does not need a GOAWAY.
    boolean linger = state.isServer() || error != Http2Error.NO_ERROR;
    boolean isDead = isSilent && nanoTime() - drainNanos >= IDLE_DRAIN_PING_NANOS;
    lingering = new LingeringClose(ctx, linger, error, isDead);
  }

  /** Ends all streams and stops reading and writing. */
  private void finish(Http2Error error, String reason) {
    state.enter(Phase.CLOSING);
    endReason = reason;
    if (reader != null) {
      reader.release();
    }
    writer.flush();
    loseAll(reason);
    handler().onEnding(error, reason);
  }

  void onSocketFailed(String reason) {
    if (!state.isEnding()) {
      state.enter(Phase.CLOSING);
      endReason = reason;
      var unused = ctx.close();
    }
  }

  void onSocketClosed(String reason) {
    if (state.isClosed()) {
      return;
    }
    state.enter(Phase.CLOSED);
    if (reader != null) {
      reader.release();
    }
    String why = endReason.isEmpty() ? reason : endReason;
    loseAll(why);
    writer.release();
    if (handler != null) {
      handler.onClosed(why);
    }
  }
}
