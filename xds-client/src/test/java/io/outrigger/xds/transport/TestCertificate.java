package io.outrigger.xds.transport;

import io.outrigger.config.bootstrap.CertificateFiles;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Tls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Optional;

/** A certificate for the loopback address that is its own authority, and its key, as PEM files. */
record TestCertificate(Path certificate, Path key) {
  private static final String PASSWORD = "changeit";

  /** Makes one with the tool of the JDK. */
  static TestCertificate make(Path folder, String name)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = folder.resolve(name + ".p12");
    int exit =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "test",
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + name,
                "-ext",
                "san=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                store.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(name + ".log").toFile())
            .start()
            .waitFor();
    if (exit != 0) {
      throw new AssertionError("keytool ended with " + exit);
    }
    KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    return new TestCertificate(
        write(
            folder.resolve(name + ".pem"), "CERTIFICATE", keys.getCertificate("test").getEncoded()),
        write(
            folder.resolve(name + ".key"),
            "PRIVATE KEY",
            keys.getKey("test", PASSWORD.toCharArray()).getEncoded()));
  }

  /** Puts the content of both files into {@code other}'s, as a rotation does. */
  void copyTo(TestCertificate other) throws IOException {
    Files.copy(certificate, other.certificate, StandardCopyOption.REPLACE_EXISTING);
    Files.copy(key, other.key, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Credentials that trust this certificate, and present it. */
  Tls credentials() {
    return credentials(Optional.of(certificate), Optional.of(this));
  }

  /**
   * @param roots the file of roots
   * @param own the certificate to present
   */
  static Tls credentials(Optional<Path> roots, Optional<TestCertificate> own) {
    return new Tls(
        new CertificateFiles(
            own.map(pair -> pair.certificate.toString()),
            own.map(pair -> pair.key.toString()),
            roots.map(Path::toString),
            Optional.empty(),
            CertificateFiles.DEFAULT_REFRESH_INTERVAL));
  }

  private static Path write(Path file, String label, byte[] der) throws IOException {
    String body =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(der);
    return Files.writeString(
        file, "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n");
  }
}
