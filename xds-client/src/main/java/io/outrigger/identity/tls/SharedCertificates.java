package io.outrigger.identity.tls;

import io.outrigger.base.AnyThread;
import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;

/**
 * Certificates as the JDK reads them, in place of those that Netty makes for each connection: the
 * JDK keeps one object for equal bytes, with the signatures that it has verified. A chain that many
 * connections show is read and verified once.
 */
@AnyThread
public final class SharedCertificates {
  private SharedCertificates() {}

  /**
   * The same certificates.
   *
   * @throws CertificateException when one cannot be read
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
