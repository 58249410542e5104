package io.outrigger.identity.tls;

import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.identity.certificate.Identity;
import io.outrigger.identity.certificate.IdentityKeyManager;
import io.outrigger.identity.certificate.PeerTrustManager;
import io.outrigger.identity.certificate.PeerVerifier;
import io.outrigger.identity.certificate.Roots;
import io.outrigger.identity.certificate.TlsMaterial;
import java.security.GeneralSecurityException;
import java.util.Optional;
import java.util.function.Function;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/** Makes TLS contexts for HTTPS clients of the JDK. The contexts resume no session. */
public final class HttpsContext {
  private HttpsContext() {}

  /**
   * Returns a context that presents no certificate, and verifies the certificate of a server
   * against the host name of the connection.
   */
  public static SSLContext of(Function<UpstreamTls, TlsMaterial> certificates) {
    return of(certificates, new KeyManager[0]);
  }

  public static SSLContext of(Roots roots, Optional<Identity> identity) {
    return of(
        settings -> new TlsMaterial(settings, Optional.empty(), roots),
        identity.stream().map(IdentityKeyManager::new).toArray(KeyManager[]::new));
  }

  private static SSLContext of(
      Function<UpstreamTls, TlsMaterial> certificates, KeyManager[] identities) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      var trust =
          new PeerTrustManager(
              (chain, host) ->
                  PeerVerifier.of(
                          certificates.apply(EachConnectionContext.settings(host.orElse(""))))
                      .objection(chain, Optional.empty()),
              engine -> {
                engine.getHandshakeSession().invalidate(); // no resumption in TLS 1.2
                return Optional.ofNullable(engine.getPeerHost());
              });
      context.init(identities, new TrustManager[] {trust}, null);
      context.getClientSessionContext().setSessionTimeout(JdkEngines.SESSION_SECONDS);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JVM has no TLS", e);
    }
  }
}
