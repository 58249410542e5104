package io.outrigger.dataplane.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.outrigger.base.LoopConfined;
import java.nio.ByteBuffer;
import java.util.List;
import javax.net.ssl.SSLException;

/**
 * Stands before the TLS handler from the connection to the end of the handshake, and bounds the
 * bytes of it: those that come while a part of the handshake waits for a thread are kept, and a
 * server may send as fast as it can.
 */
@LoopConfined
final class HandshakeLimit extends ChannelDuplexHandler {
  /** Either library admits 32 KiB for each of some six messages, of which one is large at most. */
  static final int MAX_BYTES = 256 << 10;

  /** The first record that was sent; empty before. */
  private byte[] hello = {};

  private int taken;
  private boolean over;

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!over && message instanceof ByteBuf bytes) {
      taken += bytes.readableBytes();
      if (taken > MAX_BYTES) {
        fail(ctx);
      }
    }
    if (over) {
      ReferenceCountUtil.release(message);
    } else {
      ctx.fireChannelRead(message);
    }
  }

  /** Closes the socket at once: a close_notify would wait for the part that is under way. */
  private void fail(ChannelHandlerContext ctx) {
    over = true;
    ctx.channel().config().setAutoRead(false);
    ctx.fireExceptionCaught(
        new SSLException("the server has sent more than 256 KiB before its end"));
    ctx.close();
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (hello.length == 0 && message instanceof ByteBuf bytes) {
      hello = ByteBufUtil.getBytes(bytes);
    }
    ctx.write(message, promise);
  }

  /** The groups for key agreement that were offered. */
  List<String> groups() {
    return hello.length == 0 ? List.of() : ClientHello.groups(ByteBuffer.wrap(hello));
  }
}
