package io.outrigger.proxy.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.outrigger.base.AnyThread;
import io.outrigger.xds.certificate.IdentityKeyManager;
import io.outrigger.xds.certificate.ServerName;
import io.outrigger.xds.certificate.ServerTrustManager;
import io.outrigger.xds.certificate.ServerVerifier;
import io.outrigger.xds.certificate.TlsMaterial;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;

/**
 * The JDK's engines: where they are asked for, and where BoringSSL does not load or does not take
 * the identity (decision proxy-0043).
 *
 * <p>Uses the JDK's context without Netty's builder, which would encrypt the key into a key store
 * with thousands of rounds and read the JDK's own authorities.
 */
@AnyThread
final class JdkEngines implements EngineSource {
  /**
   * Longer than tickets live (RFC 8446 section 4.6.1): with it the JDK drops them. Else each ticket
   * makes a session that lives as long as its connection, at up to 32 KiB.
   */
  private static final int SESSION_SECONDS = 30 * 24 * 3600;

  private final SSLContext context;
  private final String[] alpn;
  private final String[] cipherSuites;

  private JdkEngines(SSLContext context, List<String> alpn) {
    this.context = context;
    this.alpn = alpn.toArray(String[]::new);
    this.cipherSuites = cipherSuites(context);
  }

  static JdkEngines of(TlsMaterial material, List<String> alpn, ServerVerifier verifier)
      throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(
        material.identity().stream().map(IdentityKeyManager::new).toArray(KeyManager[]::new),
        new TrustManager[] {new ServerTrustManager(verifier)},
        null);
    context.getClientSessionContext().setSessionTimeout(SESSION_SECONDS);
    context.getClientSessionContext().setSessionCacheSize(1); // 0 is no limit
    return new JdkEngines(context, alpn);
  }

  /** Those of HTTP/2 (RFC 9113 section 9.2.2) which this JVM has. */
  private static String[] cipherSuites(SSLContext context) {
    Set<String> supported = Set.of(context.getSupportedSSLParameters().getCipherSuites());
    return Http2SecurityUtil.CIPHERS.stream().filter(supported::contains).toArray(String[]::new);
  }

  @Override
  public SSLEngine engine(Optional<String> serverName, ByteBufAllocator buffers) {
    SSLEngine engine = context.createSSLEngine();
    engine.setUseClientMode(true);
    var parameters = new SSLParameters(cipherSuites, TlsContext.PROTOCOLS.toArray(String[]::new));
    parameters.setApplicationProtocols(alpn);
    serverName.ifPresent(name -> parameters.setServerNames(List.of(new ServerName(name))));
    engine.setSSLParameters(parameters);
    return engine;
  }
}
