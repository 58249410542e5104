package io.outrigger.identity.certificate;

import io.outrigger.base.IpAddress;
import io.outrigger.config.tls.SubjectAltName;
import io.outrigger.config.tls.SubjectAltName.Kind;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The subject alternative names of a certificate, limited to the kinds that A29 uses. */
public final class CertificateNames {
  private static final String SUBJECT_ALT_NAME = "2.5.29.17";
  private static final int EMAIL = 1; // RFC 5280 section 4.2.1.6, GeneralName
  private static final int DNS = 2;
  private static final int URI = 6;
  private static final int IP = 7;

  private CertificateNames() {}

  /**
   * Returns the name that messages use for a certificate: its subject, or the first alternative
   * name if the subject is empty.
   */
  static String shown(X509Certificate certificate) {
    String subject = certificate.getSubjectX500Principal().getName();
    return subject.isEmpty()
        ? of(certificate).stream()
            .findFirst()
            .map(SubjectAltName::value)
            .orElse("a certificate without a name")
        : subject;
  }

  /** Returns the alternative names in the certificate's order; empty if they cannot be parsed. */
  public static List<SubjectAltName> of(X509Certificate certificate) {
    try {
      return read(certificate);
    } catch (CertificateParsingException notReadable) {
      return List.of();
    }
  }

  public static List<SubjectAltName> read(X509Certificate certificate)
      throws CertificateParsingException {
    Collection<List<?>> all = certificate.getSubjectAlternativeNames();
    if (all == null && certificate.getExtensionValue(SUBJECT_ALT_NAME) != null) { // JDK: as if none
      throw new CertificateParsingException("the subject alternative names are malformed");
    }
    List<SubjectAltName> names = new ArrayList<>();
    if (all != null) {
      for (List<?> each : all) {
        if (each.get(0) instanceof Integer type && each.get(1) instanceof String text) {
          switch (type) {
            case EMAIL -> names.add(new SubjectAltName(Kind.EMAIL, text));
            case DNS -> names.add(new SubjectAltName(Kind.DNS, text));
            case URI -> names.add(new SubjectAltName(Kind.URI, text));
            case IP ->
                names.add(new SubjectAltName(Kind.IP, IpAddress.canonical(text).orElse(text)));
            default -> {}
          }
        }
      }
    }
    return names;
  }

  public static List<String> ofKind(Kind kind, List<SubjectAltName> names) {
    return names.stream().filter(name -> name.kind() == kind).map(SubjectAltName::value).toList();
  }
}
