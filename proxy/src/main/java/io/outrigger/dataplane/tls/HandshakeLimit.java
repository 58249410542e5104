package io.outrigger.dataplane.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.util.ReferenceCountUtil;
import io.outrigger.base.LoopConfined;
import io.outrigger.identity.certificate.PeerRole;
import java.nio.ByteBuffer;
import java.util.List;
import javax.net.ssl.SSLException;

/**
 * Limits the number of bytes received during the TLS handshake, because received bytes are buffered
 * while a part of the handshake waits for a thread. This handler precedes the TLS handler in the
 * pipeline until the handshake is complete.
 */
@LoopConfined
final class HandshakeLimit extends ChannelDuplexHandler {
  /**
   * The maximum number of bytes that a server may send during the handshake. A handshake has about
   * six messages, at most one of them large. The TLS libraries accept 32 KiB for each message.
   */
  static final int MAX_BYTES = 256 << 10;

  /** The maximum number of bytes from an untrusted client (ClientHello, large certificate). */
  static final int MAX_BYTES_OF_CLIENT = 64 << 10;

  /** The content type of handshake records (RFC 8446 section 5.1). */
  private static final int HANDSHAKE = 22;

  private final PeerRole peer;

  /** The record with the sent ClientHello; empty until the ClientHello is sent. */
  private byte[] hello = {};

  private int receivedBytes;
  private boolean over;

  /**
   * Whether reads are paused until the end of the handshake. If a record is incomplete then, the
   * rest of it (up to 64 KiB) is not read, and the handshake fails when its time is up.
   */
  private boolean isPaused;

  HandshakeLimit(PeerRole peer) {
    this.peer = peer;
  }

  private int maxBytes() {
    return peer == PeerRole.SERVER ? MAX_BYTES : MAX_BYTES_OF_CLIENT;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!over && message instanceof ByteBuf bytes) {
      if (receivedBytes == 0 && peer == PeerRole.CLIENT && !isHandshake(bytes)) {
        fail(ctx, new NotSslRecordException("not a TLS handshake"));
      }
      receivedBytes += bytes.readableBytes();
      if (receivedBytes > maxBytes() && hasDataOfClient(ctx)) {
        isPaused = true;
        ctx.channel().config().setAutoRead(false);
      } else if (receivedBytes > maxBytes()) {
        fail(
            ctx,
            new SSLException(
                "the %s has sent more than %d KiB before its end"
                    .formatted(peer.word(), maxBytes() >> 10)));
      }
    }
    if (over) {
      ReferenceCountUtil.release(message);
    } else {
      ctx.fireChannelRead(message);
    }
  }

  private static boolean isHandshake(ByteBuf first) {
    return !first.isReadable() || first.getByte(first.readerIndex()) == HANDSHAKE;
  }

  /**
   * Whether a client has sent data after its last message of the handshake. A client may send
   * requests with 64 KiB of their bodies while its certificate is still being verified.
   */
  private boolean hasDataOfClient(ChannelHandlerContext ctx) {
    TlsHandler tls = ctx.pipeline().get(TlsHandler.class);
    return peer == PeerRole.CLIENT && tls != null && tls.hasUnreadRecord();
  }

  /**
   * Ignores reads while paused: during a handshake, Netty reads even if {@code autoRead} is off.
   */
  @Override
  public void read(ChannelHandlerContext ctx) {
    if (!isPaused) {
      ctx.read();
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    if (isPaused && ctx.channel().isOpen()) {
      ctx.channel().config().setAutoRead(true);
    }
  }

  /**
   * Closes the socket without a close_notify, which would wait for the current part of the
   * handshake.
   */
  private void fail(ChannelHandlerContext ctx, SSLException cause) {
    over = true;
    ctx.channel().config().setAutoRead(false);
    ctx.fireExceptionCaught(cause);
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
