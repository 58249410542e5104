package io.outrigger.dataplane.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslClientHelloHandler;
import io.netty.util.concurrent.Future;
import io.outrigger.base.LoopConfined;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the ClientHello before the TLS library does, and sends the alert of RFC 7301 section 3.2 to
 * a client that offers no supported protocol. Without this check, Netty with BoringSSL would
 * complete the handshake without a protocol, and the client would get no alert.
 */
@LoopConfined
final class AlpnCheck extends SslClientHelloHandler<Boolean> {
  /** The event that tells {@link TlsHandshake} that the client offers no supported protocol. */
  static final Object NO_COMMON_PROTOCOL = new Object();

  private static final int NO_APPLICATION_PROTOCOL = 120;

  private final List<String> alpn;

  AlpnCheck(List<String> alpn) {
    this.alpn = alpn;
  }

  /** Lets bytes that are not a ClientHello pass; the TLS library then reports the error. */
  @Override
  protected Future<Boolean> lookup(ChannelHandlerContext ctx, @Nullable ByteBuf hello) {
    return ctx.executor().newSucceededFuture(hello == null || offersSupported(hello));
  }

  private boolean offersSupported(ByteBuf hello) {
    try {
      return ClientHello.protocols(hello.nioBuffer()).stream().anyMatch(alpn::contains);
    } catch (RuntimeException malformed) {
      return true; // the TLS library reports why the ClientHello is malformed
    }
  }

  @Override
  protected void onLookupComplete(ChannelHandlerContext ctx, Future<Boolean> isAccepted) {
    if (isAccepted.getNow()) {
      ctx.pipeline().remove(this);
    } else {
      ctx.writeAndFlush(TlsHandshake.fatalAlert(NO_APPLICATION_PROTOCOL), ctx.voidPromise());
      ctx.fireUserEventTriggered(NO_COMMON_PROTOCOL);
    }
  }
}
