package io.outrigger.http2;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.ssl.SslHandler;
import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.memory.LoopMemory;
import io.outrigger.dataplane.memory.MemoryHolder;
import io.outrigger.dataplane.memory.PeerSide;
import io.outrigger.http2.ConnectionSettings.Timeouts;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A connection as the rule of memory sees it. What calls hold is a matter of the app's connection:
 * the DATA that its backend has not taken, and the answer that the app has not. Looks once a second
 * for a peer that has begun a frame and does not end it, or does not read.
 */
@LoopConfined
final class ConnectionMemory implements MemoryHolder {
  /** Channel, handlers, timers, tables; measured with thousands of idle ones: 3 to 6 KB. */
  private static final int CONNECTION_BYTES = 4 << 10;

  /**
   * Engine, keys, session and the peer's chain; measured: 5.5 KB of the JDK's, 13 of BoringSSL's.
   */
  private static final int TLS_BYTES = 12 << 10;

  /** A stream and its call, without its header lists. */
  private static final int STREAM_BYTES = 4 << 10;

  private final Parts parts;
  private final PeerSide side;
  private final LoopMemory loop;
  private final int baseBytes;
  private final Stall frame;
  private final Stall output;

  /** What the socket is to take next, and how much of it it has, at the last look. */
  private @Nullable Object next;

  private long nextTaken;
  private long taken;

  /** The last look that found that the socket had taken something. */
  private long tookNanos;

  /** How often the streams had moved anything at the last look, and at the one before. */
  private long moved;

  private long movedBefore;

  /** The last look that found another figure. */
  private long movedNanos;

  private long tickNanos;
  private boolean paused;

  /** The parts of a connection that hold something, or end what does. */
  record Parts(
      ChannelHandlerContext ctx,
      ConnectionState state,
      FrameReader reader,
      FrameWriter writer,
      ConnectionStreams streams,
      ConnectionLifecycle lifecycle,
      AbuseGuard guard,
      ReadGate gate) {}

  ConnectionMemory(Parts parts, ConnectionSettings settings) {
    this.parts = parts;
    side = parts.state.isServer() ? PeerSide.APP : PeerSide.BACKEND;
    boolean tls = parts.ctx.pipeline().get(SslHandler.class) != null;
    baseBytes = CONNECTION_BYTES + (tls ? TLS_BYTES : 0);
    Timeouts limits = settings.timeouts();
    frame = new Stall(limits.frame());
    output = new Stall(limits.unread());
    movedNanos = parts.ctx.channel().eventLoop().ticker().nanoTime();
    tickNanos = movedNanos;
    loop = settings.memory().on(parts.ctx.channel().eventLoop());
    loop.add(this);
  }

  /** {@code bytes} were read and dealt with. The connection may be closed when this returns. */
  void onRead(int bytes) {
    loop.onRead(this, bytes);
  }

  /** The socket is closed. */
  void close() {
    var unused = loop.remove(this);
  }

  @Override
  public PeerSide side() {
    return side;
  }

  @Override
  public boolean isShared() {
    return side == PeerSide.BACKEND;
  }

  @Override
  public long weight() {
    long own = baseBytes + parts.reader.heldBytes() + parts.writer.unsentBytes();
    ConnectionStreams streams = parts.streams;
    return isShared()
        ? own
        : own + (long) STREAM_BYTES * streams.table().active() + streams.queuedBytes();
  }

  @Override
  public boolean isHeavyByReading() {
    return !isShared()
        && 2 * (parts.streams.pendingBytes() + parts.writer.unsentBytes()) < weight();
  }

  @Override
  public long stillSinceNanos() {
    return Math.max(movedNanos, tookNanos);
  }

  @Override
  public long moves() {
    return parts.streams.moves() - movedBefore;
  }

  @Override
  public void pauseReading(boolean value) {
    paused = value;
    parts.gate.pause(value);
  }

  @Override
  public void end() {
    parts.lifecycle.closeAtOnce(
        Http2Error.ENHANCE_YOUR_CALM,
        "memory is short (--max-memory) and this connection holds much of it");
  }

  @Override
  public void onTick(long nowNanos) {
    parts.streams.onTick();
    parts.guard.onTick(nowNanos);
    if (paused) {
      movedNanos += nowNanos - tickNanos; // its peer cannot move anything
    } else {
      onSecond(nowNanos);
    }
    tickNanos = nowNanos;
    boolean isFrameBegun = !parts.state.isEnding() && parts.reader.isBegun();
    if (frame.isOver(isFrameBegun, parts.reader.wholeFrames(), nowNanos)
        && !parts.state.isEnding()) {
      parts.lifecycle.close(
          Http2Error.ENHANCE_YOUR_CALM,
          "a frame or header block was begun and not ended within " + frame.limitMillis() + "ms");
    }
    if (output.isOver(parts.writer.unsentBytes() > 0, lastTook(nowNanos), nowNanos)) {
      parts.lifecycle.close(
          Http2Error.ENHANCE_YOUR_CALM,
          "nothing of what was sent was read for " + output.limitMillis() + "ms");
      var unused = parts.ctx.close();
    }
  }

  private void onSecond(long nowNanos) {
    long moves = parts.streams.moves();
    if (moves != moved) {
      movedNanos = nowNanos;
    }
    movedBefore = moved;
    moved = moves;
  }

  @Override
  public void onShort() {
    if (parts.streams.pendingBytes() > 0) { // of thousands of connections most have none
      for (SocketStream stream : parts.streams.table().snapshot()) {
        stream.settlePending(parts.ctx.alloc());
      }
    }
  }

  /**
   * When a look last found that the socket had taken something. The channel counts more for a
   * message than its bytes, so that a sum of what was taken falls with each one that is added; and
   * the next one may be an object that was used before. Both together tell.
   */
  private long lastTook(long nowNanos) {
    ChannelOutboundBuffer waiting = parts.ctx.channel().unsafe().outboundBuffer();
    if (waiting != null) { // else our half is closed, and nothing waits
      Object first = waiting.current();
      long firstTaken = waiting.currentProgress();
      long sum = parts.writer.handedBytes() - waiting.totalPendingWriteBytes();
      if (first != next || firstTaken != nextTaken || sum > taken) {
        tookNanos = nowNanos;
      }
      next = first;
      nextTaken = firstTaken;
      taken = sum;
    }
    return tookNanos;
  }

  @Override
  public String peer() {
    SocketAddress remote = parts.ctx.channel().remoteAddress();
    return remote == null ? String.valueOf(parts.ctx.channel().localAddress()) : remote.toString();
  }

  @Override
  public int streams() {
    return parts.streams.table().active();
  }
}
