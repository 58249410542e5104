package io.outrigger.dataplane.serve;

import io.outrigger.base.PlainText;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.config.tls.SubjectAltName;
import io.outrigger.config.tls.SubjectAltName.Kind;
import io.outrigger.identity.certificate.CertificateNames;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;

/** Reads the names in callers' certificates, for RBAC and for the app. */
final class PeerCertificate {
  private static final String QUOTED = ",;=\"\\ ";

  private PeerCertificate() {}

  /**
   * Reads the names that RBAC compares (A41) from a certificate.
   *
   * @throws CertificateParsingException when the subject alternative names cannot be read; the peer
   *     must then be refused, because its names are unknown
   */
  static PeerIdentity identity(X509Certificate leaf) throws CertificateParsingException {
    List<SubjectAltName> names = CertificateNames.read(leaf);
    return new PeerIdentity.Certified(
        CertificateNames.ofKind(Kind.URI, names),
        CertificateNames.ofKind(Kind.DNS, names),
        leaf.getSubjectX500Principal().getName());
  }

  /**
   * Returns the value of {@code x-forwarded-client-cert} in Envoy's form.
   *
   * @param local the certificate that this process presented; empty when unknown
   */
  static String forwarded(X509Certificate leaf, Optional<X509Certificate> local)
      throws CertificateException {
    var text = new StringJoiner(";");
    if (local.isPresent()) {
      List<SubjectAltName> localNames = CertificateNames.of(local.get());
      CertificateNames.ofKind(Kind.URI, localNames).forEach(uri -> text.add("By=" + value(uri)));
    }
    text.add("Hash=" + HexFormat.of().formatHex(sha256(leaf.getEncoded())));
    // getName() formats the subject by RFC 2253, which escapes quotes
    text.add("Subject=\"" + printable(leaf.getSubjectX500Principal().getName()) + '"');
    List<SubjectAltName> names = CertificateNames.read(leaf);
    List<String> uris = CertificateNames.ofKind(Kind.URI, names);
    (uris.isEmpty() ? List.of("") : uris).forEach(uri -> text.add("URI=" + value(uri)));
    CertificateNames.ofKind(Kind.DNS, names).forEach(name -> text.add("DNS=" + value(name)));
    return text.toString();
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException impossible) { // every JVM has SHA-256
      throw new AssertionError(impossible);
    }
  }

  private static String value(String text) {
    return text.chars().anyMatch(c -> QUOTED.indexOf(c) >= 0)
        ? '"' + printable(text).replace("\\", "\\\\").replace("\"", "\\\"") + '"'
        : printable(text);
  }

  /** Percent-encodes bytes that a header value must not contain. */
  private static String printable(String text) {
    return PlainText.percentEncoded(text, PlainText::isPrintableAscii);
  }
}
