package io.outrigger.xds.transport;

import io.grpc.ChannelCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import io.grpc.util.CertificateUtils;
import io.outrigger.base.AnyThread;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Tls;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.Optional;

/**
 * The certificate files of {@code tls} credentials (A65). New connections use what was read last;
 * those that are open stay.
 */
@AnyThread
final class TlsFiles {
  private static final byte[] SAMPLE = {1, 2, 3};

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
    Optional<X509Certificate[]> roots =
        config.caCertificateFile().map(path -> certificates("ca_certificate_file", path));
    Optional<X509Certificate[]> chain =
        config.certificateFile().map(path -> certificates("certificate_file", path));
    Optional<PrivateKey> key = config.privateKeyFile().map(TlsFiles::privateKey);
    if (chain.isPresent() && key.isPresent()) {
      requirePair(chain.get()[0], key.get());
    }
    try {
      if (trust.isPresent() && roots.isPresent()) {
        trust.get().updateTrustCredentials(roots.get());
      }
      if (identity.isPresent() && chain.isPresent() && key.isPresent()) {
        identity.get().updateIdentityCredentials(chain.get(), key.get());
      }
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
    }
  }

  private interface Parser<T> {
    T parse(InputStream file) throws IOException, GeneralSecurityException;
  }

  private static X509Certificate[] certificates(String key, String path) {
    X509Certificate[] found =
        parse(key, path, "certificate", CertificateUtils::getX509Certificates);
    if (found.length == 0) {
      throw new IllegalArgumentException(key + " " + path + " has no certificate");
    }
    return found;
  }

  private static PrivateKey privateKey(String path) {
    return parse("private_key_file", path, "PKCS #8 private key", CertificateUtils::getPrivateKey);
  }

  private static <T> T parse(String key, String path, String what, Parser<T> parser) {
    try (InputStream file = Files.newInputStream(Path.of(path))) {
      return parser.parse(file);
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException(key + " " + path + " is not there", e);
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s %s cannot be read as a %s: %s".formatted(key, path, what, e.getMessage()), e);
    }
  }

  /** A reading between the two writes of a rotation has one old and one new file. */
  private void requirePair(X509Certificate certificate, PrivateKey key) {
    boolean matches;
    try {
      matches = isPair(key, certificate.getPublicKey());
    } catch (GeneralSecurityException e) {
      matches = false;
    }
    if (!matches) {
      throw new IllegalArgumentException(
          "private_key_file %s is not the key of certificate_file %s"
              .formatted(config.privateKeyFile().orElse(""), config.certificateFile().orElse("")));
    }
  }

  private static boolean isPair(PrivateKey key, PublicKey of) throws GeneralSecurityException {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "EC" -> "SHA256withECDSA";
          case "RSA" -> "SHA256withRSA";
          default -> key.getAlgorithm();
        };
    Signature signature = Signature.getInstance(algorithm);
    signature.initSign(key);
    signature.update(SAMPLE);
    byte[] signed = signature.sign();
    signature.initVerify(of);
    signature.update(SAMPLE);
    return signature.verify(signed);
  }
}
