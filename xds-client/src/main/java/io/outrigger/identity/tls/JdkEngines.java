package io.outrigger.identity.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.outrigger.config.tls.DownstreamTls;
import io.outrigger.identity.certificate.IdentityKeyManager;
import io.outrigger.identity.certificate.PeerRole;
import io.outrigger.identity.certificate.PeerTrustManager;
import io.outrigger.identity.certificate.PeerVerifier;
import io.outrigger.identity.certificate.ServerName;
import io.outrigger.identity.certificate.TlsMaterial;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.TrustManager;

/**
 * Creates engines of the JDK. JDK engines are used when the system property selects them, when
 * BoringSSL cannot be loaded, and when BoringSSL does not support the identity's key (decision
 * proxy-0043).
 *
 * <p>Netty's context builder is not used: it would encrypt the key into a key store with thousands
 * of rounds, and read the JDK's own root certificates.
 */
record JdkEngines(SslContext context) implements TlsEngines {
  /**
   * This session timeout exceeds 7 days, the maximum lifetime of session tickets (RFC 8446 section
   * 4.6.1). With such a timeout, the JDK drops received tickets as a client, and sends no tickets
   * as a server. With a timeout of up to 7 days, the JDK would create a session of up to 32 KiB for
   * each received ticket, and would keep the session as long as the connection.
   */
  static final int SESSION_SECONDS = 30 * 24 * 3600;

  static JdkEngines of(TlsMaterial material, List<String> alpn, PeerVerifier verifier)
      throws GeneralSecurityException {
    // With TLS 1.2, the JDK would announce a ticket that SESSION_SECONDS keeps it from sending.
    System.setProperty("jdk.tls.server.enableSessionTicketExtension", "false");
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(
        material.identity().stream().map(IdentityKeyManager::new).toArray(KeyManager[]::new),
        new TrustManager[] {new PeerTrustManager(verifier::objection)},
        null);
    for (SSLSessionContext sessions :
        List.of(context.getClientSessionContext(), context.getServerSessionContext())) {
      sessions.setSessionTimeout(SESSION_SECONDS);
      sessions.setSessionCacheSize(1); // 0 would mean no limit
    }
    return new JdkEngines(
        new JdkSslContext(
            context,
            material.peerRole() == PeerRole.SERVER,
            Http2SecurityUtil.CIPHERS,
            SupportedCipherSuiteFilter.INSTANCE,
            alpn(alpn),
            material.settings() instanceof DownstreamTls server
                ? BoringSslEngines.clientAuth(server)
                : ClientAuth.NONE,
            PROTOCOLS.toArray(String[]::new),
            false));
  }

  static ApplicationProtocolConfig alpn(List<String> protocols) {
    return new ApplicationProtocolConfig(
        Protocol.ALPN,
        SelectorFailureBehavior.NO_ADVERTISE,
        SelectedListenerFailureBehavior.ACCEPT,
        protocols);
  }

  /** Creates an engine without peer host and port: the JDK would use them to resume sessions. */
  @Override
  public SSLEngine engine(Optional<String> serverName, ByteBufAllocator buffers) {
    SSLEngine engine = context.newEngine(buffers);
    if (serverName.isPresent()) {
      SSLParameters parameters = engine.getSSLParameters();
      parameters.setServerNames(List.of(new ServerName(serverName.get())));
      engine.setSSLParameters(parameters);
    }
    return engine;
  }
}
