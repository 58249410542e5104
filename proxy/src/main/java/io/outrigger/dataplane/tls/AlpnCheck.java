package io.outrigger.dataplane.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslClientHelloHandler;
import io.netty.util.concurrent.Future;
import io.outrigger.base.LoopConfined;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a client's ClientHello before the TLS library does, and refuses a client that offers no
 * supported protocol, with the alert that RFC 7301 section 3.2 requires. BoringSSL, as Netty uses
 * it, would complete the handshake without a protocol, so the client would not learn why its
 * connection is closed.
 */
@LoopConfined
final class AlpnCheck extends SslClientHelloHandler<Boolean> {
  /** The event that {@link TlsHandshake} receives when the client offers no supported protocol. */
  static final Object NO_COMMON_PROTOCOL = new Object();

  private static final int NO_APPLICATION_PROTOCOL = 120;

  private final List<String> alpn;

  AlpnCheck(List<String> alpn) {
    this.alpn = alpn;
  }

  /**
   * Returns whether the TLS library gets the bytes. Bytes that Netty does not recognize as a
   * ClientHello go to the library, which reports the error.
   */
  @Override
  protected Future<Boolean> lookup(ChannelHandlerContext ctx, @Nullable ByteBuf hello) {
    return ctx.executor().newSucceededFuture(hello == null || offersOne(hello));
  }

  private boolean offersOne(ByteBuf hello) {
    try {
      return ClientHello.protocols(hello.nioBuffer()).stream().anyMatch(alpn::contains);
    } catch (RuntimeException malformed) {
      return true; // the library names the error
    }
  }

  @Override
  protected void onLookupComplete(ChannelHandlerContext ctx, Future<Boolean> goesOn) {
    if (goesOn.getNow()) {
      ctx.pipeline().remove(this);
    } else {
      ctx.writeAndFlush(TlsHandshake.fatalAlert(NO_APPLICATION_PROTOCOL), ctx.voidPromise());
      ctx.fireUserEventTriggered(NO_COMMON_PROTOCOL);
    }
  }
}
