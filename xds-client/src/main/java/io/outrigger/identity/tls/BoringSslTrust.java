package io.outrigger.identity.tls;

import io.netty.handler.ssl.OpenSslCertificateException;
import io.netty.internal.tcnative.CertificateVerifier;
import io.outrigger.base.AnyThread;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.identity.certificate.PeerTrustManager;
import io.outrigger.identity.certificate.RefusedCertificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLEngine;

/** Verifies the peers of BoringSSL engines, which store the server name as their peer host. */
@AnyThread
final class BoringSslTrust extends PeerTrustManager {
  BoringSslTrust(Judge judge) {
    super(judge);
  }

  @Override
  protected void check(X509Certificate[] chain, Optional<String> serverName)
      throws CertificateException {
    try {
      super.check(SharedCertificates.of(chain), serverName);
    } catch (RefusedCertificate refused) {
      throw new OpenSslCertificateException(
          refused.getMessage(), refused, alertCode(refused.result()));
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

  @Override
  protected Optional<String> serverName(SSLEngine engine) {
    return Optional.ofNullable(engine.getPeerHost());
  }
}
