package io.outrigger.identity.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSslCertificateException;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.OpenSslSessionContext;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.handler.ssl.util.KeyManagerFactoryWrapper;
import io.netty.internal.tcnative.CertificateVerifier;
import io.netty.internal.tcnative.SSL;
import io.outrigger.config.tls.DownstreamTls;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.identity.certificate.Identity;
import io.outrigger.identity.certificate.IdentityKeyManager;
import io.outrigger.identity.certificate.PeerTrustManager;
import io.outrigger.identity.certificate.PeerVerifier;
import io.outrigger.identity.certificate.TlsMaterial;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * Creates engines of BoringSSL, the library that gRPC's C++ client and Envoy use (decision
 * proxy-0043). Chains and names are verified by the same trust manager as with the JDK's engines.
 *
 * <p>The garbage collector frees the native memory of a context. The caller of {@link #engine}
 * releases the native memory of an engine.
 */
record BoringSslEngines(SslContext context) implements TlsEngines {
  /** The maximum size of a TLS Certificate message; the JDK has the same limit. */
  private static final int MAX_CERTIFICATE_BYTES = 32 << 10;

  /**
   * The maximum size of an RSA key. BoringSSL signs on the event loop: within 1 ms with 2048 bits,
   * in about 4 ms with 4096 bits.
   */
  private static final int MAX_RSA_BITS = 2048;

  /** The port passed to Netty, which uses it only to find sessions to resume. */
  private static final int NO_PORT = -1;

  /** The maximum size of an EC key: no larger curve was tested with BoringSSL. */
  private static final int MAX_EC_BITS = 384;

  /** Whether BoringSSL, which does not support Edwards curves, can sign with this key. */
  static boolean canSign(PublicKey key) {
    if (key instanceof ECPublicKey ec) {
      return ec.getParams().getOrder().bitLength() <= MAX_EC_BITS;
    }
    return key instanceof RSAPublicKey rsa && rsa.getModulus().bitLength() <= MAX_RSA_BITS;
  }

  static BoringSslEngines of(TlsMaterial material, List<String> alpn, PeerVerifier verifier)
      throws GeneralSecurityException {
    Optional<KeyManagerFactory> keys = material.identity().map(BoringSslEngines::keys);
    SslContextBuilder builder =
        material.settings() instanceof DownstreamTls server
            ? SslContextBuilder.forServer(keys.orElseThrow()).clientAuth(clientAuth(server))
            : SslContextBuilder.forClient().keyManager(keys.orElse(null));
    builder
        .sslProvider(SslProvider.OPENSSL)
        .trustManager(new BoringSslTrust(verifier::objection))
        .ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
        .protocols(PROTOCOLS)
        .endpointIdentificationAlgorithm(null)
        .option(OpenSslContextOption.USE_TASKS, true)
        .option(OpenSslContextOption.MAX_CERTIFICATE_LIST_BYTES, MAX_CERTIFICATE_BYTES)
        .applicationProtocolConfig(JdkEngines.alpn(alpn));
    try {
      SslContext context = builder.build();
      if (context.sessionContext() instanceof OpenSslSessionContext sessions) {
        sessions.setSessionCacheEnabled(false);
      }
      return new BoringSslEngines(context);
    } catch (SSLException e) {
      throw new GeneralSecurityException(e);
    }
  }

  /**
   * Each handshake uses the same key and chain objects, so Netty parses them once. {@code
   * OpenSslCachingX509KeyManagerFactory} is not used: when the first two handshakes of a context
   * run at the same time, its cache leaks the native key (Netty 4.2.18).
   */
  private static KeyManagerFactory keys(Identity identity) {
    return new KeyManagerFactoryWrapper(new IdentityKeyManager(identity));
  }

  static ClientAuth clientAuth(DownstreamTls server) {
    if (server.roots().isEmpty()) {
      return ClientAuth.NONE;
    }
    return server.requireClientCertificate() ? ClientAuth.REQUIRE : ClientAuth.OPTIONAL;
  }

  @Override
  public SSLEngine engine(Optional<String> serverName, ByteBufAllocator buffers) {
    if (serverName.isEmpty()) {
      SSLEngine engine = context.newEngine(buffers);
      if (context.isServer() && engine instanceof ReferenceCountedOpenSslEngine known) {
        SSL.setOptions(known.sslPointer(), SSL.SSL_OP_NO_TICKET); // Netty enables tickets
      }
      return engine;
    }
    SSLEngine engine = context.newEngine(buffers, serverName.get(), NO_PORT);
    if (engine instanceof ReferenceCountedOpenSslEngine known) {
      // The server name is set here, because Netty omits names without a dot, and SNIHostName
      // rejects underscores.
      SSL.setTlsExtHostName(known.sslPointer(), serverName.get());
    }
    return engine;
  }

  /** Verifies peers of BoringSSL engines; the peer host of such an engine is the server name. */
  private static final class BoringSslTrust extends PeerTrustManager {
    BoringSslTrust(Judge judge) {
      super(judge, engine -> Optional.ofNullable(engine.getPeerHost()));
    }

    @Override
    protected void check(X509Certificate[] chain, Optional<String> serverName)
        throws CertificateException {
      try {
        super.check(shared(chain), serverName);
      } catch (CertificateException refused) {
        throw new OpenSslCertificateException(
            refused.getMessage(), refused, alertCode(TlsFailure.result(refused)));
      }
    }

    private static int alertCode(HandshakeResult result) {
      return switch (result) {
        case CERTIFICATE_EXPIRED -> CertificateVerifier.X509_V_ERR_CERT_HAS_EXPIRED;
        case CERTIFICATE_AUTHORITY_INVALID ->
            CertificateVerifier.X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY;
        default -> CertificateVerifier.X509_V_ERR_CERT_REJECTED;
      };
    }
  }
}
