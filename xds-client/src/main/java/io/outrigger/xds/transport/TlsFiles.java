package io.outrigger.xds.transport;

import io.grpc.ChannelCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import io.outrigger.base.AnyThread;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Tls;
import io.outrigger.xds.certificate.Identity;
import io.outrigger.xds.certificate.Roots;
import io.outrigger.xds.certificate.UnusableFile;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.Optional;

/**
 * The certificate files of {@code tls} credentials (A65). New connections use what was read last;
 * those that are open stay.
 */
@AnyThread
final class TlsFiles {
  private final Tls config;
  private final Optional<AdvancedTlsX509TrustManager> trust; // else the system's roots
  private final Optional<AdvancedTlsX509KeyManager> identity;

  private TlsFiles(Tls config) throws GeneralSecurityException {
    this.config = config;
    trust =
        config.caCertificateFile().isPresent()
            ? Optional.of(AdvancedTlsX509TrustManager.newBuilder().build())
            : Optional.empty();
    identity =
        config.certificateFile().isPresent()
            ? Optional.of(new AdvancedTlsX509KeyManager())
            : Optional.empty();
  }

  /**
   * Reads the files for the first time.
   *
   * @throws IllegalArgumentException naming the key and the file, if one cannot be used
   */
  static TlsFiles read(Tls config) {
    if (config.certificateFile().isPresent() != config.privateKeyFile().isPresent()) {
      throw new IllegalArgumentException("certificate_file and private_key_file go together");
    }
    try {
      var files = new TlsFiles(config);
      files.reload();
      return files;
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /** For one channel after the other; they follow each reading. */
  ChannelCredentials credentials() {
    var credentials = TlsChannelCredentials.newBuilder();
    trust.ifPresent(credentials::trustManager);
    identity.ifPresent(credentials::keyManager);
    return credentials.build();
  }

  /** Whether there is any file to read again. */
  boolean hasFiles() {
    return trust.isPresent() || identity.isPresent();
  }

  /**
   * Reads all files again. Blocks. All of them are used from now on, or none.
   *
   * @throws IllegalArgumentException naming the key and the file, if one cannot be used; what was
   *     read before stays in use
   */
  void reload() {
    Optional<X509Certificate[]> roots = Optional.empty();
    Optional<Identity> own = Optional.empty();
    try {
      if (config.caCertificateFile().isPresent()) {
        roots =
            Optional.of(
                Roots.Authorities.read(config.caCertificateFile().get())
                    .certificates()
                    .toArray(X509Certificate[]::new));
      }
      if (config.certificateFile().isPresent() && config.privateKeyFile().isPresent()) {
        own =
            Optional.of(
                Identity.read(config.certificateFile().get(), config.privateKeyFile().get()));
      }
    } catch (UnusableFile unusable) {
      throw new IllegalArgumentException(unusable.reason(), unusable);
    }
    try {
      if (trust.isPresent() && roots.isPresent()) {
        trust.get().updateTrustCredentials(roots.get());
      }
      if (identity.isPresent() && own.isPresent()) {
        identity
            .get()
            .updateIdentityCredentials(
                own.get().chain().toArray(X509Certificate[]::new), own.get().key());
      }
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
    }
  }
}
