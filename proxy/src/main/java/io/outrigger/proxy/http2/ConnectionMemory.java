package io.outrigger.proxy.http2;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCounted;
import io.outrigger.base.LoopConfined;
import io.outrigger.proxy.http2.ConnectionSettings.Timeouts;
import io.outrigger.proxy.memory.MemoryAccount;
import io.outrigger.proxy.memory.MemoryHolder;
import io.outrigger.proxy.memory.MemoryLedger;
import io.outrigger.proxy.memory.PeerSide;
import java.net.SocketAddress;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a connection holds for its peer, as the ledger counts it, and how it lets go: of streams
 * first, the heaviest first, and of itself where its streams are not what is heavy. Looks once a
 * second for a peer that has begun a frame and does not end it, or does not read.
 *
 * <p>Streams count what is kept for them in the same account ({@link SocketStream#keeps}).
 */
@LoopConfined
final class ConnectionMemory implements MemoryHolder {
  /**
   * Channel, handlers, timers; measured with thousands of idle ones, 2912 on Java 17 and 25, tables
   * of their own not counted. The rest is for the lines of streams that wait, made for the first.
   */
  static final int CONNECTION_BYTES = 3008;

  /**
   * Engine, keys, session and the peer's chain of one EC certificate; measured with 500 idle ones
   * of mutual TLS 1.3 after three records each way, 5446 on Java 17 and 5115 on Java 25 (of TLS 1.2
   * 4816 and 4869). An idle one has no buffer outside of the heap.
   */
  static final int TLS_BYTES = 5504;

  /** The same of BoringSSL's: 12.4 KB, of which 1.6 are on the heap; measured with 1,000. */
  static final int NATIVE_TLS_BYTES = 13 << 10;

  /** A stream that keeps less than this part of what the heaviest keeps is light. */
  private static final int LIGHT_SHARE = 16;

  /** A peer whose streams were ended as often has its connection ended, unless others share it. */
  private static final int MAX_SHED_STREAMS = 100;

  private final Parts parts;
  private final MemoryLedger ledger;
  private final MemoryAccount account;
  private final PeerSide side;
  private long heapBytes;
  private long directBytes;

  private int shedStreams;
  private boolean closed;

  private final Stall frame;
  private final Stall output;
  private final int baseBytes;

  /** What the socket is to take next, and how much of it it has, at the last look. */
  private @Nullable Object next;

  private long nextTaken;
  private long taken;

  /** The last look that found that the socket had taken something. */
  private long tookNanos;

  /** The parts of a connection that hold something, or end what does. */
  record Parts(
      ChannelHandlerContext ctx,
      ConnectionState state,
      FrameReader reader,
      HpackDecoder decoder,
      FrameWriter writer,
      ConnectionStreams streams,
      ConnectionLifecycle lifecycle,
      AbuseGuard guard,
      ReadGate gate) {}

  ConnectionMemory(Parts parts, ConnectionSettings settings) {
    this.parts = parts;
    side = parts.state.isServer() ? PeerSide.APP : PeerSide.BACKEND;
    ledger = settings.memory();
    baseBytes = CONNECTION_BYTES + tlsBytes(parts.ctx.pipeline().get(SslHandler.class));
    account = ledger.on(parts.ctx.channel().eventLoop()).open(side, this);
    Timeouts limits = settings.timeouts();
    frame = new Stall(limits.frame());
    output = new Stall(limits.unread());
    refresh();
  }

  MemoryAccount account() {
    return account;
  }

  /** Counts anew what the connection itself holds. A few additions. */
  void refresh() {
    if (closed) {
      return;
    }
    long heap =
        (long) baseBytes
            + parts.decoder.heapBytes()
            + parts.writer.hpack().heapBytes()
            + parts.streams.table().heapBytes();
    if (heap != heapBytes) {
      account.heap(heap - heapBytes);
      heapBytes = heap;
    }
    long direct = parts.reader.heldBytes() + parts.writer.unsentBytes();
    if (direct != directBytes) {
      account.direct(direct - directBytes);
      directBytes = direct;
    }
  }

  /** The socket is closed. */
  void close() {
    closed = true;
    account.close();
  }

  @Override
  public void letGo(long bytes) {
    long goal = held() - bytes;
    boolean isEnding = parts.state.isEnding();
    settlePending();
    if (held() <= goal) {
      return;
    }
    if (!isEnding && ownBytes() < streamBytes()) {
      shedStreams(goal);
    }
    refresh();
    boolean isRepeated = side == PeerSide.APP && shedStreams > MAX_SHED_STREAMS;
    boolean isHeavyItself =
        held() > goal && ownBytes() >= Math.max(streamBytes(), leastBytesToEnd());
    if (isEnding || isHeavyItself || isRepeated) {
      if (!isEnding) {
        account.onConnectionEnded();
      }
      // At once: what it holds would else come back only when others had been ended in vain.
      parts.lifecycle.closeAtOnce(
          Http2Error.ENHANCE_YOUR_CALM, "memory is short and this connection holds much of it");
      close();
    }
  }

  private static int tlsBytes(@Nullable SslHandler tls) {
    if (tls == null) {
      return 0;
    }
    boolean isNative = tls.engine() instanceof ReferenceCounted; // the JDK's are not
    return isNative ? NATIVE_TLS_BYTES : TLS_BYTES;
  }

  /** Streams that share a read buffer each count all of it, until they have copied their parts. */
  private void settlePending() {
    if (parts.streams.pendingBytes() == 0) {
      return; // of thousands of connections most, ten times a second while memory is short
    }
    for (SocketStream stream : parts.streams.table().snapshot()) {
      stream.settlePending(parts.ctx.alloc());
    }
  }

  /** All apps share a connection to a backend, and few of its bytes are its own. */
  private int leastBytesToEnd() {
    return side == PeerSide.BACKEND ? 1 << 20 : 0;
  }

  /** The heaviest, and none that are light beside those: to end them would bring nothing. */
  private void shedStreams(long goal) {
    List<SocketStream> order =
        parts.streams.table().snapshot().stream()
            .sorted(Comparator.comparingInt(SocketStream::keptBytes).reversed())
            .toList();
    int least = order.isEmpty() ? 0 : order.get(0).keptBytes() / LIGHT_SHARE;
    for (SocketStream stream : order) {
      if (held() <= goal || parts.state.isEnding() || stream.keptBytes() < least) {
        return;
      }
      if (!stream.isGone()) {
        shedStreams++;
        account.onStreamEnded();
        parts.streams.shed(stream);
      }
    }
  }

  private long held() {
    return account.heapBytes() + account.directBytes();
  }

  private long ownBytes() {
    return heapBytes + directBytes;
  }

  private long streamBytes() {
    return held() - ownBytes();
  }

  @Override
  public boolean isShared() {
    return side == PeerSide.BACKEND;
  }

  @Override
  public boolean isHeavyByReading() {
    return 2 * (parts.streams.pendingBytes() + parts.writer.unsentBytes()) < held();
  }

  @Override
  public void pauseReading(boolean paused) {
    parts.gate.pause(paused);
  }

  @Override
  public void onTick(long nowNanos) {
    parts.streams.onTick();
    refresh();
    parts.guard.onTick(nowNanos);
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

  @Override
  public void onShort() {
    settlePending();
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
