package io.outrigger.dataplane.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.outrigger.base.LoopConfined;
import io.outrigger.identity.certificate.PeerRole;
import java.nio.ByteBuffer;
import java.util.List;
import javax.net.ssl.SSLException;

/**
 * Limits the number of bytes received during the handshake; this handler precedes the TLS handler
 * until the handshake is complete. While a part of the handshake waits for a thread, received bytes
 * are buffered, and a peer can send as fast as it likes.
 */
@LoopConfined
final class HandshakeLimit extends ChannelDuplexHandler {
  /**
   * The limit for a whole handshake with a server. Both TLS libraries accept 32 KiB for each of
   * about six messages, of which at most one is large.
   */
  static final int MAX_BYTES = 256 << 10;

  /** The same for a client, which is a stranger: room for a hello and one large certificate. */
  static final int MAX_BYTES_OF_CLIENT = 64 << 10;

  private final PeerRole peer;

  /** The first record sent, which holds the ClientHello; empty before that. */
  private byte[] hello = {};

  private int taken;
  private boolean over;

  HandshakeLimit(PeerRole peer) {
    this.peer = peer;
  }

  private int maxBytes() {
    return peer == PeerRole.SERVER ? MAX_BYTES : MAX_BYTES_OF_CLIENT;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!over && message instanceof ByteBuf bytes) {
      taken += bytes.readableBytes();
      if (taken > maxBytes()) {
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
        new SSLException(
            "the %s has sent more than %d KiB before its end"
                .formatted(peer.word(), maxBytes() >> 10)));
    ctx.close();
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (peer == PeerRole.SERVER && hello.length == 0 && message instanceof ByteBuf bytes) {
      hello = ByteBufUtil.getBytes(bytes);
    }
    ctx.write(message, promise);
  }

  /** The groups that the ClientHello offered for key agreement. */
  List<String> groups() {
    return hello.length == 0 ? List.of() : ClientHello.groups(ByteBuffer.wrap(hello));
  }
}
