package io.outrigger.http2;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.outrigger.base.LoopConfined;
import java.util.concurrent.TimeUnit;

/** Closes a channel so that the last bytes written to it reach the peer. */
@LoopConfined
final class LingeringClose {
  private static final long ERROR_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A long time limit for a close without an error, because a slow peer may have much to read. */
  private static final long NO_ERROR_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * The time of silence after which a peer that has received all bytes is disconnected. A slow
   * reader is not silent: it sends WINDOW_UPDATEs.
   */
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The time after which a peer's kernel has usually acknowledged the end of the output. */
  private static final long ACK_MILLIS = 100;

  /** Linux's number for the state of a TCP connection whose peer has acknowledged our FIN. */
  private static final int FIN_WAIT_2 = 5;

  /** The maximum number of bytes read while closing; the peer may send at most one window. */
  private static final long MAX_BYTES = ConnectionSettings.DEFAULT.windows().connection();

  private final Channel channel;
  private final long endNanos;
  private long quietSince;
  private long unread;

  /**
   * Flushes, then closes. If {@code linger} is true, the output is shut down first and the input is
   * read for a short time, because unread bytes could cause a TCP reset and thus the loss of the
   * GOAWAY.
   *
   * @param isSilent whether the peer has been silent so long that the close need not wait for it
   */
  LingeringClose(ChannelHandlerContext ctx, boolean linger, Http2Error error, boolean isSilent) {
    channel = ctx.channel();
    long now = channel.eventLoop().ticker().nanoTime();
    quietSince = isSilent ? now - QUIET_NANOS : now;
    endNanos = now + (error == Http2Error.NO_ERROR ? NO_ERROR_NANOS : ERROR_NANOS);
    var flushed = ctx.writeAndFlush(Unpooled.EMPTY_BUFFER);
    if (linger && channel instanceof DuplexChannel duplex) {
      flushed.addListener((ChannelFutureListener) done -> duplex.shutdownOutput());
    } else {
      flushed.addListener(ChannelFutureListener.CLOSE);
    }
    if (isSilent) {
      var unused = channel.eventLoop().schedule(() -> onTick(now), ACK_MILLIS, MILLISECONDS);
    }
  }

  /** Called for bytes received after the connection has ended; the bytes are ignored. */
  void onRead(int bytes) {
    unread += bytes;
    quietSince = channel.eventLoop().ticker().nanoTime();
    if (unread > MAX_BYTES) {
      var unused = channel.close();
    }
  }

  void onTick(long nowNanos) {
    if (nowNanos - endNanos >= 0 || (nowNanos - quietSince >= QUIET_NANOS && hasAllBytes())) {
      var unused = channel.close();
    }
  }

  /**
   * Whether the peer can read all bytes even if the socket is closed now. Bytes written to a unix
   * socket are already in the peer's receive queue. Bytes sent by TCP must have been acknowledged
   * by the peer's kernel; only Netty's epoll transport shows acknowledgments.
   */
  private boolean hasAllBytes() {
    if (!channel.isOpen() || !channel.config().isAutoRead()) {
      return false; // without reading, closing may reset unread bytes
    }
    if (channel instanceof EpollDomainSocketChannel || channel instanceof NioDomainSocketChannel) {
      return ((DuplexChannel) channel).isOutputShutdown();
    }
    return channel instanceof EpollSocketChannel socket && socket.tcpInfo().state() == FIN_WAIT_2;
  }
}
