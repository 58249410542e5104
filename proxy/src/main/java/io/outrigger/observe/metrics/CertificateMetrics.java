package io.outrigger.observe.metrics;

import io.outrigger.base.AnyThread;
import io.outrigger.identity.certificate.CertificateView;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;

/** The expiration times of this process's certificates, by provider. */
@AnyThread
final class CertificateMetrics {
  private CertificateMetrics() {}

  static void addTo(List<CertificateView.Provider> providers, MetricSnapshots.Builder all) {
    var expiration =
        Instruments.gauge(
            "outrigger_certificate_expiration_timestamp_seconds",
            "When the first certificate of the provider's chain ends, in seconds since 1970.");
    for (CertificateView.Provider provider : providers) {
      provider
          .expiry()
          .ifPresent(
              end ->
                  Instruments.add(
                      expiration,
                      Labels.of("instance", provider.instance()),
                      end.getEpochSecond()));
    }
    all.metricSnapshot(expiration.build());
  }
}
