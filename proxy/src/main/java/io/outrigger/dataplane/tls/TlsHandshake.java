package io.outrigger.dataplane.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.outrigger.base.LoopConfined;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.identity.certificate.PeerRole;
import io.outrigger.identity.tls.TlsEngines;
import io.outrigger.identity.tls.TlsFailure;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * Waits behind the TLS handler in the pipeline for the result of the handshake. The handler of the
 * connection replaces this handler only after a successful handshake. A peer that is not trusted or
 * does not speak HTTP/2 gets no data (A29-16).
 */
@LoopConfined
public final class TlsHandshake extends ChannelInboundHandlerAdapter {
  /** Receives the result of the handshake once, on the event loop. */
  public interface Listener {
    /**
     * Called when the handshake has succeeded, before the connection's handler is created.
     *
     * @throws CertificateException when the peer's certificate cannot be read; the handshake fails
     */
    void onHandshaken(TlsPeer peer) throws CertificateException;

    /** Called when the handshake has failed; the channel is closed afterwards. */
    void onFailed(HandshakeResult result, String reason);
  }

  /** The failures that a server reports to its client with the alert {@link #HANDSHAKE_FAILURE}. */
  private static final Set<HandshakeResult> DISAGREEMENTS =
      Set.of(HandshakeResult.CIPHER_SUITE_MISMATCH, HandshakeResult.KEY_EXCHANGE_FAILURE);

  private static final int HANDSHAKE_FAILURE = 40;

  private final Optional<String> serverName;
  private final Supplier<ChannelHandler> handlerFactory;
  private final Listener listener;
  private boolean over;

  /**
   * @param serverName the name sent to a server as SNI
   * @param handlerFactory creates the handler that replaces this handler
   */
  public TlsHandshake(
      Optional<String> serverName, Supplier<ChannelHandler> handlerFactory, Listener listener) {
    this.serverName = serverName;
    this.handlerFactory = handlerFactory;
    this.listener = listener;
  }

  /** Whether the channel is connected and its handshake is in progress. */
  public static boolean isUnderWay(Channel channel) {
    return channel.isActive() && channel.pipeline().get(TlsHandshake.class) != null;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslHandshakeCompletionEvent completion) {
      if (completion.isSuccess()) {
        onHandshaken(ctx);
      } else {
        fail(ctx, completion.cause());
      }
    } else if (event == AlpnCheck.NO_COMMON_PROTOCOL) {
      fail(ctx, HandshakeResult.NO_APPLICATION_PROTOCOL, disagreement(PeerRole.CLIENT, null));
    }
    ctx.fireUserEventTriggered(event);
  }

  private void onHandshaken(ChannelHandlerContext ctx) {
    TlsHandler tls = ctx.pipeline().get(TlsHandler.class);
    String protocol = tls.engine().getApplicationProtocol();
    if (!tls.offers(protocol)) { // every offered protocol means HTTP/2
      fail(ctx, HandshakeResult.NO_APPLICATION_PROTOCOL, disagreement(tls.peer(), protocol));
      return;
    }
    try {
      listener.onHandshaken(TlsPeer.of(tls, serverName));
    } catch (SSLPeerUnverifiedException e) {
      fail(
          ctx,
          HandshakeResult.CERTIFICATE_VERIFICATION_FAILED,
          "the " + tls.peer().word() + " has shown no certificate");
      return;
    } catch (CertificateException malformed) {
      fail(
          ctx,
          HandshakeResult.CERTIFICATE_MALFORMED,
          "the certificate of the " + tls.peer().word() + " cannot be read");
      return;
    }
    over = true;
    ctx.pipeline().remove(HandshakeLimit.class);
    ctx.pipeline().replace(this, null, handlerFactory.get());
  }

  private static String disagreement(PeerRole peer, @Nullable String protocol) {
    if (peer == PeerRole.CLIENT) {
      return "the client offers no HTTP/2 by ALPN";
    }
    return protocol == null || protocol.isEmpty()
        ? "the server did not agree to HTTP/2: it chose no protocol by ALPN"
        : "the server did not agree to HTTP/2: by ALPN it chose " + protocol;
  }

  private void fail(ChannelHandlerContext ctx, @Nullable Throwable cause) {
    HandshakeResult result = TlsFailure.result(cause);
    TlsHandler tls = ctx.pipeline().get(TlsHandler.class);
    PeerRole peer = tls == null ? PeerRole.SERVER : tls.peer();
    String reason = TlsFailure.describe(cause, peer);
    if (result == HandshakeResult.CIPHER_SUITE_MISMATCH && peer == PeerRole.SERVER) {
      reason += offered(ctx);
    }
    if (tls != null && peer == PeerRole.CLIENT && DISAGREEMENTS.contains(result) && !over) {
      // Netty drops BoringSSL's alert if the error occurs after a certificate was chosen. In other
      // cases, Netty sends BoringSSL's alert, and the client gets two alerts.
      ctx.pipeline().context(tls).writeAndFlush(fatalAlert(HANDSHAKE_FAILURE));
    }
    fail(ctx, result, reason);
  }

  /** Returns an unencrypted TLS record with one fatal alert (RFC 8446 section 6). */
  static ByteBuf fatalAlert(int description) {
    return Unpooled.wrappedBuffer(new byte[] {21, 3, 3, 0, 2, 2, (byte) description});
  }

  /**
   * Lists the offered TLS versions and groups, because the server's alert does not say what the
   * server supports (A29-21).
   */
  private static String offered(ChannelHandlerContext ctx) {
    HandshakeLimit handshake = ctx.pipeline().get(HandshakeLimit.class);
    if (handshake == null) {
      return "";
    }
    return "; offered were "
        + String.join(" and ", TlsEngines.PROTOCOLS)
        + ", with the groups "
        + String.join(", ", handshake.groups());
  }

  private void fail(ChannelHandlerContext ctx, HandshakeResult result, String reason) {
    if (!over) {
      over = true;
      listener.onFailed(result, reason);
    }
    ctx.close(); // also if the handshake succeeded, but no connection could be created
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    fail(ctx, new ClosedChannelException());
    ctx.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    fail(ctx, cause);
  }
}
