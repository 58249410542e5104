package io.outrigger.proxy.tls;

import io.outrigger.base.AnyThread;
import io.outrigger.xds.certificate.ServerTrustManager;
import io.outrigger.xds.certificate.ServerVerifier;
import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLEngine;

/**
 * Judges the servers of BoringSSL's engines, which have their server name as the peer's host.
 *
 * <p>Reads the certificates by the JDK, in place of those that Netty makes for each connection: the
 * JDK keeps one object for equal bytes, with what it has verified of it. A chain that many
 * connections show is read and verified once.
 */
@AnyThread
final class BoringSslTrust extends ServerTrustManager {
  BoringSslTrust(ServerVerifier verifier) {
    super(verifier);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    super.checkServerTrusted(shared(chain), authType, engine);
  }

  @Override
  protected Optional<String> serverName(SSLEngine engine) {
    return Optional.ofNullable(engine.getPeerHost());
  }

  /**
   * The same certificates, as the JDK has read them.
   *
   * @throws CertificateException when one cannot be read
   */
  static X509Certificate[] shared(X509Certificate[] chain) throws CertificateException {
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    X509Certificate[] shared = new X509Certificate[chain.length];
    for (int i = 0; i < chain.length; i++) {
      shared[i] =
          (X509Certificate)
              factory.generateCertificate(new ByteArrayInputStream(chain[i].getEncoded()));
    }
    return shared;
  }
}
