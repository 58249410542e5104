package io.outrigger.proxy.tls;

import io.netty.handler.ssl.OpenSslCertificateException;
import io.netty.internal.tcnative.CertificateVerifier;
import io.outrigger.base.AnyThread;
import io.outrigger.xds.certificate.RefusedCertificate;
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
    try {
      super.checkServerTrusted(shared(chain), authType, engine);
    } catch (RefusedCertificate refused) {
      throw new OpenSslCertificateException(
          refused.getMessage(), refused, alertCode(refused.reason()));
    }
  }

  /** By the result of a verification OpenSSL chooses its alert. */
  private static int alertCode(RefusedCertificate.Reason reason) {
    return switch (reason) {
      case EXPIRED -> CertificateVerifier.X509_V_ERR_CERT_HAS_EXPIRED;
      case UNKNOWN_AUTHORITY -> CertificateVerifier.X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY;
      case NOT_YET_VALID, WRONG_NAME, UNFIT -> CertificateVerifier.X509_V_ERR_CERT_REJECTED;
    };
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
