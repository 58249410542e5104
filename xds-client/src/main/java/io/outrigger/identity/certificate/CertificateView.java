package io.outrigger.identity.certificate;

import io.outrigger.config.tls.SubjectAltName;
import io.outrigger.config.tls.SubjectAltName.Kind;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A certificate in status views (CONTRACT section 10, {@code /certs}).
 *
 * @param serial the serial number in lower-case hexadecimal
 */
public record CertificateView(
    String subject,
    List<String> uriSans,
    List<String> dnsSans,
    String serial,
    Instant notBefore,
    Instant notAfter) {
  /**
   * A provider of the bootstrap.
   *
   * @param certificates the chain, leaf first; empty when there is no identity
   * @param loaded see {@link CertificateSnapshot#loaded()}
   * @param error why the newest files cannot be used, or why the certificate in use is invalid now
   */
  public record Provider(
      String instance,
      String plugin,
      List<CertificateView> certificates,
      List<CertificateView> roots,
      Optional<Instant> loaded,
      Optional<String> error) {
    static Provider of(String instance, String plugin, CertificateSnapshot snapshot, Instant now) {
      return new Provider(
          instance,
          plugin,
          snapshot.identity().map(own -> all(own.chain())).orElse(List.of()),
          snapshot.roots().map(roots -> all(roots.certificates())).orElse(List.of()),
          snapshot.loaded(),
          snapshot.error().or(() -> snapshot.identity().flatMap(own -> own.invalidity(now))));
    }

    public Optional<Instant> expiry() {
      return certificates.stream().map(CertificateView::notAfter).min(Instant::compareTo);
    }
  }

  static CertificateView of(X509Certificate certificate) {
    List<SubjectAltName> names = CertificateNames.of(certificate);
    return new CertificateView(
        certificate.getSubjectX500Principal().getName(),
        CertificateNames.ofKind(Kind.URI, names),
        CertificateNames.ofKind(Kind.DNS, names),
        certificate.getSerialNumber().toString(16),
        certificate.getNotBefore().toInstant(),
        certificate.getNotAfter().toInstant());
  }

  private static List<CertificateView> all(List<X509Certificate> certificates) {
    return certificates.stream().map(CertificateView::of).toList();
  }
}
