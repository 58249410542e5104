package io.outrigger.xds.transport;

import io.grpc.util.AdvancedTlsX509TrustManager;
import io.outrigger.base.AnyThread;
import io.outrigger.xds.certificate.SystemRoots;
import io.outrigger.xds.certificate.UnusableFile;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/**
 * Trust in the roots of the system, with names checked: those of {@code SSL_CERT_FILE}, else the
 * JVM's. New connections use what was read last.
 */
@AnyThread
final class SystemTrust {
  private final Optional<String> file;
  private final AdvancedTlsX509TrustManager manager;

  private SystemTrust(Optional<String> file, AdvancedTlsX509TrustManager manager) {
    this.file = file;
    this.manager = manager;
  }

  /**
   * Reads the roots for the first time. Blocks.
   *
   * @throws IllegalArgumentException naming the file, if it cannot be used
   */
  static SystemTrust read(Map<String, String> environment) {
    try {
      var trust =
          new SystemTrust(
              Optional.ofNullable(environment.get(SystemRoots.VARIABLE)),
              AdvancedTlsX509TrustManager.newBuilder().build());
      trust.reload();
      return trust;
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /**
   * Reads the roots again. Blocks.
   *
   * @throws IllegalArgumentException naming the file, if it cannot be used; what was read before
   *     stays in use
   */
  void reload() {
    try {
      manager.updateTrustCredentials(
          new SystemRoots(file).authorities().certificates().toArray(X509Certificate[]::new));
    } catch (UnusableFile unusable) {
      throw new IllegalArgumentException(unusable.reason(), unusable);
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
    }
  }

  TrustManager manager() {
    return manager;
  }

  /** For other clients that trust the same. */
  SSLContext context() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {manager}, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JVM has no TLS", e);
    }
  }
}
