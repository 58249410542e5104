package io.outrigger.http2;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.outrigger.base.LoopConfined;
import java.util.concurrent.TimeUnit;

/** Closes a channel so that the last bytes written to it reach the peer. */
@LoopConfined
final class LingeringClose {
  /** Time limit after an error. */
  private static final long ERROR_MILLIS = 1_000;

  /** Time limit without an error: a slow peer may still have much to read after the last stream. */
  private static final long NO_ERROR_MILLIS = 10_000;

  /**
   * A peer that obeys flow control has at most one connection window in flight; more than that is a
   * flood.
   */
  private static final long MAX_BYTES = ConnectionSettings.DEFAULT.connectionWindow();

  private final Channel channel;
  private long unread;

  private LingeringClose(Channel channel) {
    this.channel = channel;
  }

  /**
   * Flushes, then closes. With {@code linger} the output is shut down first and the input is read
   * for a short time: closing a socket with unread bytes sends a TCP reset, and the GOAWAY could be
   * lost.
   */
  static LingeringClose begin(ChannelHandlerContext ctx, boolean linger, Http2Error error) {
    Channel channel = ctx.channel();
    var flushed = ctx.writeAndFlush(Unpooled.EMPTY_BUFFER);
    long limit = error == Http2Error.NO_ERROR ? NO_ERROR_MILLIS : ERROR_MILLIS;
    Runnable closing =
        () -> {
          var unused = channel.close();
        };
    var timer = channel.eventLoop().schedule(closing, limit, TimeUnit.MILLISECONDS);
    channel.closeFuture().addListener((ChannelFutureListener) closed -> timer.cancel(false));
    if (linger && channel instanceof DuplexChannel duplex) {
      flushed.addListener(
          (ChannelFutureListener)
              done -> {
                var unused = duplex.shutdownOutput();
              });
    } else {
      flushed.addListener(ChannelFutureListener.CLOSE);
    }
    return new LingeringClose(channel);
  }

  /** Called for bytes received after the connection has ended; the bytes are ignored. */
  void onRead(int bytes) {
    unread += bytes;
    if (unread > MAX_BYTES) {
      var unused = channel.close();
    }
  }
}
