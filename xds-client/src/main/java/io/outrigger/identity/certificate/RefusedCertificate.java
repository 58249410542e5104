package io.outrigger.identity.certificate;

import io.outrigger.config.tls.HandshakeResult;
import java.security.cert.CertificateException;

/**
 * The certificate of a peer is not accepted. The message is for operators. BoringSSL sends the peer
 * the TLS alert that corresponds to {@link #result} (RFC 8446 section 6.2). The JDK sends {@code
 * certificate_unknown} for each exception without a cause, such as this one.
 */
public final class RefusedCertificate extends CertificateException {
  private static final long serialVersionUID = 1L;

  private final HandshakeResult result;

  public RefusedCertificate(CertificateRefusal refusal) {
    super(refusal.text());
    this.result = refusal.result();
  }

  public HandshakeResult result() {
    return result;
  }
}
