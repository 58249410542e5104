package io.outrigger.identity.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.OpenSslCachingX509KeyManagerFactory;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.OpenSslSessionContext;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.handler.ssl.util.KeyManagerFactoryWrapper;
import io.netty.internal.tcnative.SSL;
import io.outrigger.base.AnyThread;
import io.outrigger.identity.certificate.IdentityKeyManager;
import io.outrigger.identity.certificate.ServerVerifier;
import io.outrigger.identity.certificate.TlsMaterial;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * Engines of BoringSSL, as gRPC's C++ client and Envoy have them (decision proxy-0043). Chains and
 * names are judged by the same trust manager as with the JDK's.
 *
 * <p>The native memory of a context is freed when the garbage collector has found it; that of an
 * engine by who asked for it.
 */
@AnyThread
final class BoringSslEngines implements TlsEngines {
  /** Of a message with certificates; the JDK's limit is the same. */
  private static final int MAX_CERTIFICATE_BYTES = 32 << 10;

  /** It signs on the event loop: with 2048 bits within 1 ms, with 4096 in some 4. */
  private static final int MAX_RSA_BITS = 2048;

  /** The peer's, which only sessions that are resumed are known by. */
  private static final int NO_PORT = -1;

  /** Of an elliptic curve: P-384 is the largest that it is tried with. */
  private static final int MAX_EC_BITS = 384;

  private final SslContext context;

  private BoringSslEngines(SslContext context) {
    this.context = context;
  }

  /** As a client it knows no other algorithms: none of the Edwards curves. */
  static boolean canSign(PublicKey key) {
    if (key instanceof ECPublicKey ec) {
      return ec.getParams().getOrder().bitLength() <= MAX_EC_BITS;
    }
    return key instanceof RSAPublicKey rsa && rsa.getModulus().bitLength() <= MAX_RSA_BITS;
  }

  static BoringSslEngines of(TlsMaterial material, List<String> alpn, ServerVerifier verifier)
      throws GeneralSecurityException {
    SslContextBuilder builder =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.OPENSSL)
            .trustManager(new BoringSslTrust(verifier::objection))
            .ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
            .protocols(PROTOCOLS)
            .endpointIdentificationAlgorithm(null)
            .option(OpenSslContextOption.USE_TASKS, true)
            .option(OpenSslContextOption.MAX_CERTIFICATE_LIST_BYTES, MAX_CERTIFICATE_BYTES)
            .applicationProtocolConfig(JdkEngines.alpn(alpn));
    material
        .identity()
        .ifPresent(
            identity ->
                builder.keyManager(
                    new OpenSslCachingX509KeyManagerFactory(
                        new KeyManagerFactoryWrapper(new IdentityKeyManager(identity)))));
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

  @Override
  public SSLEngine engine(Optional<String> serverName, ByteBufAllocator buffers) {
    if (serverName.isEmpty()) {
      return context.newEngine(buffers);
    }
    SSLEngine engine = context.newEngine(buffers, serverName.get(), NO_PORT);
    if (engine instanceof ReferenceCountedOpenSslEngine known) {
      // Netty leaves out names without a dot, and the JDK's type refuses istio's, with underscores.
      SSL.setTlsExtHostName(known.sslPointer(), serverName.get());
    }
    return engine;
  }
}
