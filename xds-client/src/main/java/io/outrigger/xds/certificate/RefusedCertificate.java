package io.outrigger.xds.certificate;

import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;

/**
 * The certificate of a server is not accepted. The message is for operators; the reason chooses the
 * alert that the server gets (RFC 8446 section 6.2).
 */
public final class RefusedCertificate extends CertificateException {
  private static final long serialVersionUID = 1L;

  /** The kinds that alerts and metrics (A118) distinguish. */
  public enum Reason {
    EXPIRED,
    NOT_YET_VALID,
    /** No path leads to a root. */
    UNKNOWN_AUTHORITY,
    /** No name of the server is accepted. */
    WRONG_NAME,
    /** Anything else that is wrong with the certificate or one of its issuers. */
    UNFIT
  }

  private final Reason reason;

  public RefusedCertificate(Refusal refusal) {
    super(refusal.text(), jdkCause(refusal));
    this.reason = refusal.reason();
  }

  /** The JDK's TLS chooses its alert by the cause. */
  private static CertPathValidatorException jdkCause(Refusal refusal) {
    BasicReason reason =
        switch (refusal.reason()) {
          case EXPIRED -> BasicReason.EXPIRED;
          case NOT_YET_VALID -> BasicReason.NOT_YET_VALID;
          case UNKNOWN_AUTHORITY -> BasicReason.UNSPECIFIED;
          case WRONG_NAME, UNFIT -> BasicReason.INVALID_SIGNATURE; // bad_certificate
        };
    return new CertPathValidatorException(refusal.text(), null, null, -1, reason);
  }

  public Reason reason() {
    return reason;
  }
}
