package io.outrigger.identity.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;
import io.outrigger.base.AnyThread;
import io.outrigger.base.IpLiteral;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.tls.SanMatcher;
import io.outrigger.config.tls.SubjectAltName;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.identity.certificate.Identity;
import io.outrigger.identity.certificate.Roots;
import io.outrigger.identity.certificate.ServerVerifier;
import io.outrigger.identity.certificate.TlsMaterial;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;

/**
 * The TLS of a gRPC channel, which takes one context for all of its connections. This one prepares
 * each connection anew, by the certificates of that moment: they are few, a handshake costs more,
 * and no session of an earlier connection can be resumed. The server's certificate must have the
 * host name, or the IP address, of the channel's target.
 */
@AnyThread
public final class EachConnectionContext extends SslContext {
  private static final List<String> ALPN = List.of(ApplicationProtocolNames.HTTP_2);

  /**
   * The certificates that a connection begins with.
   *
   * @param identity shown to servers that ask for it; empty for none
   */
  public record Certificates(Optional<Identity> identity, Roots roots) {}

  private final Supplier<Certificates> certificates;

  public EachConnectionContext(Supplier<Certificates> certificates) {
    this.certificates = certificates;
  }

  /** The settings under which a server is asked for {@code host}, and accepted by that name. */
  public static UpstreamTls settings(String host) {
    boolean isBracketed = host.startsWith("[") && host.endsWith("]");
    String name = isBracketed ? host.substring(1, host.length() - 1) : host;
    Optional<String> address = IpLiteral.canonical(name);
    var matcher =
        new SanMatcher(
            Optional.of(address.isPresent() ? SubjectAltName.Kind.IP : SubjectAltName.Kind.DNS),
            new StringMatcher.Exact(address.orElse(name), false));
    return new UpstreamTls(
        Optional.empty(), new TrustSource.SystemRoots(), List.of(matcher), name, false, false);
  }

  /** Takes milliseconds, of a thread of gRPC's. */
  @Override
  public SSLEngine newEngine(ByteBufAllocator buffers, String host, int port) {
    UpstreamTls settings = settings(host);
    Certificates now = certificates.get();
    var material = new TlsMaterial(settings, now.identity(), now.roots());
    try {
      return TlsLibrary.of(material)
          .engines(material, ALPN, ServerVerifier.of(material))
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
  @SuppressWarnings("deprecation") // gRPC asks for it
  public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
    return () -> ALPN;
  }

  @Override
  public SSLSessionContext sessionContext() {
    throw new UnsupportedOperationException("no session is kept");
  }
}
