package io.outrigger.testing;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A certificate that a {@link TestAuthority} issued, its chain, and its key. */
public record TestIdentity(X509Bundle bundle) {
  public X509Certificate certificate() {
    return bundle.getCertificate();
  }

  /** Leaf first, without the root. */
  public List<X509Certificate> chain() {
    return List.of(bundle.getCertificatePath());
  }

  public PrivateKey key() {
    return bundle.getKeyPair().getPrivate();
  }

  /** The chain as PEM. */
  public String chainPem() {
    var pem = new StringBuilder();
    chain().forEach(each -> pem.append(pem(each)));
    return pem.toString();
  }

  /** The key as PKCS #8 in PEM. */
  public String keyPem() {
    return pem("PRIVATE KEY", key().getEncoded());
  }

  /** A context for a server of the JDK. */
  public SSLContext serverContext() throws GeneralSecurityException, IOException {
    char[] noPassword = {};
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, noPassword);
    store.setKeyEntry("server", key(), noPassword, chain().toArray(Certificate[]::new));
    KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
    factory.init(store, noPassword);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(factory.getKeyManagers(), null, null);
    return context;
  }

  /** One certificate as PEM. */
  public static String pem(X509Certificate certificate) {
    try {
      return pem("CERTIFICATE", certificate.getEncoded());
    } catch (java.security.cert.CertificateEncodingException e) {
      throw new AssertionError(e);
    }
  }

  /** One block. */
  public static String pem(String label, byte[] der) {
    String body =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(der);
    return "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n";
  }

  /** Writes {@code text} so that readers see the old file or the new one, never a part. */
  public static Path replace(Path file, String text) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.writeString(fresh, text, StandardCharsets.ISO_8859_1);
    return Files.move(
        fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }
}
