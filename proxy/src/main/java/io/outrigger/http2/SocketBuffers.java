package io.outrigger.http2;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.outrigger.base.AnyThread;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds what the kernel keeps of the output of one socket. Left alone it takes up to 4 MiB for a
 * peer that reads nothing, which a container is charged for like memory of the process.
 *
 * <p>With epoll and TCP it is the part that has not been sent that is bounded ({@code
 * TCP_NOTSENT_LOWAT}): what is under way to a distant backend is not, so that it costs no
 * throughput. Elsewhere it is the whole send buffer.
 */
@AnyThread
final class SocketBuffers {
  static final int UNSENT_BYTES = 64 << 10;

  /** The kernel doubles it, for what it needs beside the bytes. */
  static final int SEND_BUFFER_BYTES = 64 << 10;

  private static final Logger log = LoggerFactory.getLogger(SocketBuffers.class);

  private SocketBuffers() {}

  /** Bounds the output of {@code channel}, whose socket is there. */
  static void bound(Channel channel) {
    try {
      if (channel instanceof EpollSocketChannel) {
        channel.config().setOption(EpollChannelOption.TCP_NOTSENT_LOWAT, (long) UNSENT_BYTES);
      } else {
        channel.config().setOption(ChannelOption.SO_SNDBUF, SEND_BUFFER_BYTES);
      }
    } catch (ChannelException e) {
      log.debug("{}: its send buffer stays as the system has it", channel, e);
    }
  }
}
