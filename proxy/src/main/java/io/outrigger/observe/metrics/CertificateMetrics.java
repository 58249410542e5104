package io.outrigger.observe.metrics;

import io.outrigger.base.AnyThread;
import io.outrigger.identity.certificate.CertificateView;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;

/** The expiration times of this process's certificates, by provider. */
@AnyThread
final class CertificateMetrics {
  private CertificateMetrics() {}

  static void addTo(List<CertificateView.Provider> providers, Instruments all) {
    var expiration =
        all.gauge(
            "outrigger_certificate_expiration_timestamp_seconds",
            "When the first certificate of the provider's chain ends, in seconds since 1970.");
    for (CertificateView.Provider provider : providers) {
      Labels labels = Labels.of("instance", provider.instance());
      provider.expiry().ifPresent(end -> expiration.add(labels, end.getEpochSecond()));
    }
  }
}
