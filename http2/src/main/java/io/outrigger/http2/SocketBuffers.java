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
 * Limits the kernel's send buffer of one socket. Without a limit the kernel buffers up to 4 MiB for
 * a peer that does not read, and a container is charged for this memory.
 *
 * <p>With epoll and TCP only the bytes that have not been sent are limited ({@code
 * TCP_NOTSENT_LOWAT}). Bytes in flight to a distant backend are not limited, so throughput is not
 * reduced. For other sockets the whole send buffer is limited.
 */
@AnyThread
final class SocketBuffers {
  static final int UNSENT_BYTES = 64 << 10;

  /** The send buffer size. The kernel doubles the value to account for its own overhead. */
  static final int SEND_BUFFER_BYTES = 64 << 10;

  private static final Logger log = LoggerFactory.getLogger(SocketBuffers.class);

  private SocketBuffers() {}

  /** Limits the send buffer of {@code channel}, whose socket exists. */
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
