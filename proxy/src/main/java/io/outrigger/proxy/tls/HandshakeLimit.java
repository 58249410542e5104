package io.outrigger.proxy.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.outrigger.base.LoopConfined;
import javax.net.ssl.SSLException;

/**
 * Stands before the TLS handler until the handshake is over: the bytes that come while a part of it
 * waits for a thread are kept, and a server may send as fast as it can.
 */
@LoopConfined
public final class HandshakeLimit extends ChannelInboundHandlerAdapter {
  /** The JDK admits 32 KiB for each of some six messages, of which one is large at most. */
  static final int MAX_BYTES = 256 << 10;

  private int taken;
  private boolean over;

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!over && message instanceof ByteBuf bytes) {
      taken += bytes.readableBytes();
      over = taken > MAX_BYTES;
      if (over) {
        ctx.channel().config().setAutoRead(false);
        ReferenceCountUtil.release(message);
        ctx.fireExceptionCaught(
            new SSLException("the server has sent more than 256 KiB before its end"));
        return;
      }
    }
    if (over) {
      ReferenceCountUtil.release(message);
    } else {
      ctx.fireChannelRead(message);
    }
  }
}
