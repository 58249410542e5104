package io.outrigger.http2;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import io.outrigger.base.LoopConfined;
import io.outrigger.http2.ConnectionSettings.Timeouts;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reports the memory that a connection holds to {@link ProcessMemory}, and closes the connection
 * when the process demands it. The app's connection is charged for DATA that the backend has not
 * read and for responses that the app has not read. Once a second, {@code ConnectionMemory} checks
 * whether the peer still reads, and whether a frame from the peer has been incomplete for too long.
 */
@LoopConfined
final class ConnectionMemory implements MemoryHolder {
  /** The size of a channel with its handlers, timers and tables; 3 to 6 KB were measured. */
  private static final int CONNECTION_BYTES = 4 << 10;

  /** The size of a TLS engine and its certificates: 5.5 KB with the JDK, 13 KB with BoringSSL. */
  private static final int TLS_BYTES = 12 << 10;

  /** How long frames may wait for a direct buffer; {@link SocketReads} has the same limit. */
  private static final Duration NO_BUFFER_LIMIT = Duration.ofSeconds(5);

  private final Parts parts;
  private final ProcessMemory process;
  private final ProcessMemory.Accounts accounts;
  private final int baseBytes;
  private final Stall frame;
  private final Stall output;
  private final Stall noBuffer = new Stall(NO_BUFFER_LIMIT);

  /** The first message in the channel's outbound buffer at the last tick. */
  private @Nullable Object firstWaiting;

  /** How many bytes of the first waiting message the socket had accepted by the last tick. */
  private long firstProgress;

  // The bytes passed to the channel minus the bytes waiting in the channel, at the last tick, and
  // the time of the last tick at which the socket had accepted more bytes.
  private long acceptedBytes;
  private long acceptedNanos;

  // The values of ConnectionStreams.moves() at the last two ticks, and the time of the last change.
  private long moved;
  private long movedBefore;
  private long movedNanos;

  /** The connection is idle while its moves have this value, which stayed for 10 s, or is 0. */
  private long idleMoves;

  private long tickNanos;
  private boolean paused;

  record Parts(
      ChannelHandlerContext ctx,
      ConnectionState state,
      FrameReader reader,
      FrameWriter writer,
      ConnectionStreams streams,
      ConnectionLifecycle lifecycle,
      SocketReads reads) {}

  ConnectionMemory(Parts parts, ConnectionSettings settings) {
    this.parts = parts;
    boolean tls = parts.ctx.pipeline().get(SslHandler.class) != null;
    baseBytes = CONNECTION_BYTES + (tls ? TLS_BYTES : 0);
    Timeouts limits = settings.timeouts();
    frame = new Stall(limits.frame());
    output = new Stall(limits.unread());
    EventLoop loop = parts.ctx.channel().eventLoop();
    movedNanos = loop.ticker().nanoTime();
    tickNanos = movedNanos;
    process = settings.memory();
    accounts = process.open(this, loop);
    parts.reads.setReadConditions(
        () -> accounts.mayRead(this), () -> !isShared() && parts.streams.moves() == idleMoves);
  }

  /** Reports that {@code bytes} were read and processed; the report may close the connection. */
  void onRead(int bytes) {
    accounts.onRead(this, bytes);
  }

  void close() {
    accounts.close(this);
  }

  @Override
  public boolean isShared() {
    return !parts.state.isServer();
  }

  @Override
  public long weight() {
    long own = baseBytes + parts.reader.heldBytes() + parts.writer.unsentBytes();
    ConnectionStreams streams = parts.streams;
    return isShared()
        ? own
        : own
            + (long) ConnectionStreams.STREAM_BYTES * streams.table().active()
            + streams.queuedBytes();
  }

  @Override
  public boolean isHeavyByReading(long weight) {
    return !isShared() && 2 * (parts.streams.pendingBytes() + parts.writer.unsentBytes()) < weight;
  }

  @Override
  public long lastProgressNanos() {
    return Math.max(movedNanos, acceptedNanos);
  }

  @Override
  public long moves() {
    return parts.streams.moves() - movedBefore;
  }

  @Override
  public void pauseReading(boolean value) {
    paused = value;
    parts.reads.pause(value);
  }

  @Override
  public void end() {
    parts.lifecycle.closeForMemory(
        Http2Error.ENHANCE_YOUR_CALM,
        "memory is short (--max-memory) and this connection holds much of it");
  }

  void onTick(long nowNanos) {
    if (process.isShort()) {
      settlePending();
    }
    if (paused) {
      movedNanos += nowNanos - tickNanos; // while reading is paused, the peer cannot cause progress
    } else {
      movedBefore = moved;
      moved = parts.streams.moves();
      movedNanos = moved == movedBefore ? movedNanos : nowNanos;
      idleMoves = nowNanos - movedNanos >= TimeUnit.SECONDS.toNanos(10) ? moved : idleMoves;
    }
    tickNanos = nowNanos;
    boolean isFrameBegun = !parts.state.isEnding() && parts.reader.isBegun();
    if (frame.isOver(isFrameBegun, parts.reader.wholeFrames(), nowNanos)
        && !parts.state.isEnding()) {
      parts.lifecycle.close(
          Http2Error.ENHANCE_YOUR_CALM,
          "a frame or header block was begun and not ended within " + frame.limitMillis() + "ms");
    }
    if (noBuffer.isOver(parts.writer.awaitsDirectBuffer(), parts.writer.handedBytes(), nowNanos)) {
      parts.lifecycle.closeForMemory(Http2Error.INTERNAL_ERROR, "no memory for what is to be sent");
    }
    if (output.isOver(parts.writer.unsentBytes() > 0, lastAccepted(nowNanos), nowNanos)) {
      parts.lifecycle.close(
          Http2Error.ENHANCE_YOUR_CALM,
          "nothing of what was sent was read for " + output.limitMillis() + "ms");
      var unused = parts.ctx.close();
    }
  }

  /** Copies small parts of pending DATA, so that their large read buffers can be released. */
  private void settlePending() {
    if (parts.streams.pendingBytes() > 0) {
      for (SocketStream stream : parts.streams.table().snapshot()) {
        stream.settlePending(parts.ctx.alloc());
      }
    }
  }

  /**
   * Returns the time of the last tick at which the socket had accepted more bytes: more bytes have
   * left the channel's outbound buffer, or the first waiting message, or the number of its sent
   * bytes, has changed. None of these suffices alone: Netty adds an overhead per message to the
   * waiting bytes, and may use an object for another message.
   */
  private long lastAccepted(long nowNanos) {
    ChannelOutboundBuffer waiting = parts.ctx.channel().unsafe().outboundBuffer();
    if (waiting != null) { // null when the output is shut down, so that nothing waits
      Object first = waiting.current();
      long progress = waiting.currentProgress();
      long sum = parts.writer.handedBytes() - waiting.totalPendingWriteBytes();
      if (first != firstWaiting || progress != firstProgress || sum > acceptedBytes) {
        acceptedNanos = nowNanos;
      }
      firstWaiting = first;
      firstProgress = progress;
      acceptedBytes = sum;
    }
    return acceptedNanos;
  }

  /** Detects an operation without progress by polling a number that changes with progress. */
  @LoopConfined
  static final class Stall {
    private final Duration limit;
    private boolean begun;
    private long progress;
    private long sinceNanos;

    Stall(Duration limit) {
      this.limit = limit;
    }

    /** Whether the operation is running and has made no progress for as long as the time limit. */
    boolean isOver(boolean isBegun, long made, long nowNanos) {
      if (!isBegun || !begun || made != progress) {
        begun = isBegun;
        progress = made;
        sinceNanos = nowNanos;
        return false;
      }
      return nowNanos - sinceNanos >= limit.toNanos();
    }

    long limitMillis() {
      return limit.toMillis();
    }
  }
}
