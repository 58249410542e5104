package io.outrigger.identity.certificate;

import io.outrigger.base.Count;
import java.io.ByteArrayInputStream;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

final class CertificateReader {
  private static final String LIST = "X509 CRL";

  private CertificateReader() {}

  static List<X509Certificate> read(CredentialFile file) throws UnusableFile {
    List<X509Certificate> found = new ArrayList<>();
    for (PemBlock block : PemBlock.all(file)) {
      switch (block.label()) {
        case "CERTIFICATE", "X509 CERTIFICATE" -> {
          String damaged = "is damaged: the " + block + " is not readable";
          found.add(parse(file, damaged, block.der()));
        }
        case "TRUSTED CERTIFICATE" ->
            throw file.unusable(
                "has a TRUSTED CERTIFICATE, a form of OpenSSL's own; convert it: openssl x509 -in "
                    + file.path()
                    + " -out FILE.pem");
        default -> {}
      }
    }
    if (found.isEmpty()) {
      throw file.unusable(PemBlock.absence(file, "certificate", "x509"));
    }
    return found;
  }

  /** Returns a warning if the file contains revocation lists, which are not applied (A29). */
  static Optional<String> revocationListWarning(CredentialFile file) throws UnusableFile {
    long lists = PemBlock.all(file).stream().filter(block -> block.label().equals(LIST)).count();
    return lists == 0
        ? Optional.empty()
        : Optional.of(
            "%s has %s, which are not used: revoked certificates are accepted; remove the roots of their issuers"
                .formatted(file, Count.of(lists, LIST + " block")));
  }

  static List<X509Certificate> readDer(CredentialFile file, byte[] der) throws UnusableFile {
    List<X509Certificate> found = all(file, "is not readable", der);
    if (found.isEmpty()) {
      throw file.unusable("has no certificate; check what the SPIFFE agent sends in this field");
    }
    return found;
  }

  static X509Certificate parse(CredentialFile file, String damaged, byte[] der)
      throws UnusableFile {
    List<X509Certificate> found = all(file, damaged, der);
    if (found.size() != 1) {
      throw file.unusable(damaged + ": it is not one certificate");
    }
    return found.get(0);
  }

  private static List<X509Certificate> all(CredentialFile file, String damaged, byte[] der)
      throws UnusableFile {
    return file.parsed(
        damaged,
        () -> {
          List<X509Certificate> found = new ArrayList<>();
          var in = new ByteArrayInputStream(der);
          var factory = CertificateFactory.getInstance("X.509");
          while (in.available() > 0) {
            found.add((X509Certificate) factory.generateCertificate(in));
          }
          return found;
        });
  }
}
