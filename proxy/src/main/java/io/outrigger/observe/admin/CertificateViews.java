package io.outrigger.observe.admin;

import io.outrigger.base.AnyThread;
import io.outrigger.identity.certificate.CertificateView;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code /certs}: the certificate providers of the bootstrap. The names of members are the
 * contract's.
 */
@AnyThread
public final class CertificateViews {
  private CertificateViews() {}

  private record Provider(
      String instance,
      String plugin,
      List<Certificate> certificates,
      List<Certificate> roots,
      @Nullable String loaded,
      @Nullable String error) {
    static Provider of(CertificateView.Provider view) {
      return new Provider(
          view.instance(),
          view.plugin(),
          all(view.certificates()),
          all(view.roots()),
          view.loaded().map(Instant::toString).orElse(null),
          view.error().orElse(null));
    }

    private static List<Certificate> all(List<CertificateView> views) {
      return views.stream().map(Certificate::of).toList();
    }
  }

  @SuppressWarnings("unused") // the JSON writer reads the fields
  private record Certificate(
      String subject,
      List<String> uri_sans,
      List<String> dns_sans,
      String serial,
      String not_before,
      String not_after) {
    static Certificate of(CertificateView view) {
      return new Certificate(
          view.subject(),
          view.uriSans(),
          view.dnsSans(),
          view.serial(),
          view.notBefore().toString(),
          view.notAfter().toString());
    }
  }

  public static AdminReply reply(List<CertificateView.Provider> providers) {
    return AdminReply.json(200, providers.stream().map(Provider::of).toList());
  }
}
