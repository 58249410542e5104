package io.outrigger.identity.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;
import io.outrigger.base.AnyThread;
import io.outrigger.base.IpAddress;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.tls.SanMatcher;
import io.outrigger.config.tls.SubjectAltName;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.identity.certificate.PeerVerifier;
import io.outrigger.identity.certificate.TlsMaterial;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;

/**
 * The TLS context of a gRPC channel. A channel takes one context for all of its connections. This
 * context prepares each connection separately, with the current certificates. This is cheap enough:
 * the preparation costs less than a handshake, and a channel opens few connections. No session of
 * an earlier connection can be resumed. The server's certificate must contain the host name, or the
 * IP address, of the channel's target.
 */
@AnyThread
public final class EachConnectionContext extends SslContext {
  private static final List<String> ALPN = List.of(ApplicationProtocolNames.HTTP_2);

  private final Function<UpstreamTls, TlsMaterial> certificates;

  /** Makes a context that gets the certificates separately for each connection. */
  public EachConnectionContext(Function<UpstreamTls, TlsMaterial> certificates) {
    this.certificates = certificates;
  }

  /** Returns settings that send the host as SNI and require it in the server's certificate. */
  public static UpstreamTls settings(String host) {
    boolean isBracketed = host.startsWith("[") && host.endsWith("]");
    String name = isBracketed ? host.substring(1, host.length() - 1) : host;
    Optional<String> address = IpAddress.canonical(name);
    var matcher =
        new SanMatcher(
            Optional.of(address.isPresent() ? SubjectAltName.Kind.IP : SubjectAltName.Kind.DNS),
            new StringMatcher.Exact(address.orElse(name), false));
    return new UpstreamTls(
        Optional.empty(), new TrustSource.SystemRoots(), List.of(matcher), name, false, false);
  }

  /** Creates an engine. Takes milliseconds on the calling gRPC thread. */
  @Override
  public SSLEngine newEngine(ByteBufAllocator buffers, String host, int port) {
    UpstreamTls settings = settings(host);
    TlsMaterial material = certificates.apply(settings);
    try {
      return TlsLibrary.of(material)
          .engines(material, ALPN, PeerVerifier.of(material))
          .engine(settings.serverName(""), buffers);
    } catch (GeneralSecurityException refused) {
      throw new IllegalStateException(
          "the certificates cannot be used for TLS: " + refused.getMessage(), refused);
    }
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator buffers) {
    throw new UnsupportedOperationException("a channel knows its host");
  }

  @Override
  public boolean isClient() {
    return true;
  }

  @Override
  public List<String> cipherSuites() {
    return Http2SecurityUtil.CIPHERS;
  }

  @Override
  @SuppressWarnings("deprecation") // gRPC calls this method
  public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
    return () -> ALPN;
  }

  @Override
  public SSLSessionContext sessionContext() {
    throw new UnsupportedOperationException("no session is kept");
  }
}
