package io.outrigger.xds.certificate;

import io.outrigger.base.PlainText;
import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/** The certificates of a PEM file. */
final class CertificateReader {
  private CertificateReader() {}

  /** In the order of the file, at least one; keys between them are passed over. */
  static List<X509Certificate> read(CredentialFile file) throws UnusableFile {
    List<X509Certificate> found = new ArrayList<>();
    for (PemBlock block : PemBlock.all(file)) {
      switch (block.label()) {
        case "CERTIFICATE", "X509 CERTIFICATE" -> {
          try {
            found.add(parse(block.der()));
          } catch (CertificateException e) {
            throw file.unusable(
                "is damaged: the "
                    + block
                    + " is not readable: "
                    + PlainText.of("" + e.getMessage()));
          }
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

  /** Certificates in DER, one after the other, at least one. */
  static List<X509Certificate> readDer(CredentialFile file, byte[] der) throws UnusableFile {
    List<X509Certificate> found = new ArrayList<>();
    var in = new ByteArrayInputStream(der);
    try {
      var factory = CertificateFactory.getInstance("X.509");
      while (in.available() > 0) {
        found.add((X509Certificate) factory.generateCertificate(in));
      }
    } catch (CertificateException e) {
      throw file.unusable("is not readable: " + PlainText.of("" + e.getMessage()));
    }
    if (found.isEmpty()) {
      throw file.unusable("has no certificate");
    }
    return found;
  }

  /** A certificate from DER; bytes behind it are refused. */
  static X509Certificate parse(byte[] der) throws CertificateException {
    var in = new ByteArrayInputStream(der);
    var certificate =
        (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    if (in.available() > 0) {
      throw new CertificateException("something follows it");
    }
    return certificate;
  }
}
