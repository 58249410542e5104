package io.outrigger.identity.tls;

import io.outrigger.base.AnyThread;
import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;

/**
 * Replaces the certificate objects that Netty creates for each connection by objects of the JDK.
 * The JDK keeps one object for equal bytes, and remembers the signatures it has verified. A chain
 * that many connections present is therefore parsed and verified once.
 */
@AnyThread
public final class SharedCertificates {
  private SharedCertificates() {}

  /**
   * Returns equal certificates as shared objects.
   *
   * @throws CertificateException when a certificate cannot be parsed
   */
  public static X509Certificate[] of(X509Certificate[] chain) throws CertificateException {
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
