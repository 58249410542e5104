package io.outrigger.http2;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.outrigger.base.LoopConfined;
import java.util.concurrent.TimeUnit;

/** The end of a channel, such that the last bytes written to it arrive. */
@LoopConfined
final class LingeringClose {
  private static final long ERROR_MILLIS = 1_000;

  /** A slow reader may have much to read when the last stream ends in good order. */
  private static final long NO_ERROR_MILLIS = 10_000;

  /** An honest peer has at most a connection's window under way; more is a flood. */
  private static final long MAX_BYTES = ConnectionSettings.DEFAULT.connectionWindow();

  private final Channel channel;
  private long unread;

  private LingeringClose(Channel channel) {
    this.channel = channel;
  }

  /**
   * Flushes, then closes. Who lingers first ends its own half only and reads on for a moment: a
   * socket that is closed with unread bytes would reset the connection, and the GOAWAY could be
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

  /** Something came that nobody looks at any more. */
  void onRead(int bytes) {
    unread += bytes;
    if (unread > MAX_BYTES) {
      var unused = channel.close();
    }
  }
}
