package io.outrigger.xds.certificate;

import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** The roots of the system (A82): of a file that the environment names, else those of the JVM. */
final class SystemRoots {
  private SystemRoots() {}

  /**
   * Reads them. Blocks.
   *
   * @param file the value of {@code SSL_CERT_FILE}
   */
  static Roots read(Optional<String> file) throws UnusableFile {
    if (file.isPresent()) {
      return new Roots.Authorities(
          CertificateReader.read(CredentialFile.read("SSL_CERT_FILE", file.get())));
    }
    try {
      TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
      factory.init((KeyStore) null); // the JVM's own
      List<X509Certificate> roots =
          Stream.of(factory.getTrustManagers())
              .filter(X509TrustManager.class::isInstance)
              .flatMap(manager -> Stream.of(((X509TrustManager) manager).getAcceptedIssuers()))
              .toList();
      if (!roots.isEmpty()) {
        return new Roots.Authorities(roots);
      }
    } catch (GeneralSecurityException e) {
      // told below
    }
    throw new UnusableFile(
        "the trust store of the JVM", "", "has no certificate; name a file by SSL_CERT_FILE");
  }
}
