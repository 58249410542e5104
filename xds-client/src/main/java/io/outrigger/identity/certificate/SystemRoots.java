package io.outrigger.identity.certificate;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * The roots of the system (A82): from the file that {@code SSL_CERT_FILE} names, otherwise the
 * roots of the JVM.
 *
 * @param file the value of {@code SSL_CERT_FILE}; an empty value counts as unset
 */
public record SystemRoots(Optional<String> file) {
  public SystemRoots {
    file = file.filter(path -> !path.isEmpty()); // as OpenSSL treats an empty variable
  }

  public static final String VARIABLE = "SSL_CERT_FILE";

  public static SystemRoots of(Map<String, String> environment) {
    return new SystemRoots(Optional.ofNullable(environment.get(VARIABLE)));
  }

  /** The trust stores of the JVM (JSSE reference); the JVM uses the first that exists. */
  private static Stream<String> storesOfJvm() {
    Path folder = Path.of(System.getProperty("java.home"), "lib", "security");
    String named = System.getProperty("javax.net.ssl.trustStore", "");
    return named.isEmpty()
        ? Stream.of("jssecacerts", "cacerts").map(name -> folder.resolve(name).toString())
        : Stream.of(named);
  }

  Stream<String> paths() {
    return file.map(Stream::of).orElseGet(SystemRoots::storesOfJvm);
  }

  public Roots.Authorities authorities() throws UnusableFile {
    if (file.isPresent()) {
      return Roots.Authorities.read(VARIABLE, file.get());
    }
    try {
      TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
      factory.init((KeyStore) null); // the JVM's own trust store
      List<X509Certificate> roots =
          Stream.of(factory.getTrustManagers())
              .filter(X509TrustManager.class::isInstance)
              .flatMap(manager -> Stream.of(((X509TrustManager) manager).getAcceptedIssuers()))
              .toList();
      if (!roots.isEmpty()) {
        return new Roots.Authorities(roots);
      }
    } catch (GeneralSecurityException e) {
      // Ignored, because the exception that is thrown next reports the failure.
    }
    throw new UnusableFile(
        "the trust store of the JVM", "", "has no certificate; name a file by SSL_CERT_FILE");
  }
}
