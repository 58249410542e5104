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
 * Limits the number of bytes received during the handshake; this handler precedes the TLS handler
 * until the handshake is complete. While a part of the handshake waits for a thread, received bytes
 * are buffered, and a server can send as fast as it likes.
 */
@LoopConfined
final class HandshakeLimit extends ChannelDuplexHandler {
  /**
   * The limit for a whole handshake. Both TLS libraries accept 32 KiB for each of about six
   * messages, of which at most one is large.
   */
  static final int MAX_BYTES = 256 << 10;

  /** The first record sent, which holds the ClientHello; empty before that. */
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

  /**
   * Closes the socket at once: a close_notify would wait for the part of the handshake in progress.
   */
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

  /** The groups that the ClientHello offered for key agreement. */
  List<String> groups() {
    return hello.length == 0 ? List.of() : ClientHello.groups(ByteBuffer.wrap(hello));
  }
}
