package io.outrigger.observe.metrics;

import io.outrigger.base.AnyThread;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** Forms the text of a scrape. */
@AnyThread
public final class MetricsText {
  private MetricsText() {}

  /** Writes the text of a scrape, UTF-8, to what is memory: it must not fail. */
  public static void write(MetricsView view, OutputStream memory) {
    try {
      PrometheusTextFormatWriter.builder().build().write(memory, snapshots(view));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All instruments; their names have dots where gRPC's have, which Prometheus does not show. */
  public static MetricSnapshots snapshots(MetricsView view) {
    var sources = new MetricSources(view.failedSources());
    sources.add("forwards", own -> ForwardMetrics.addTo(view.forwards(), own));
    sources.add("calls", own -> CallMetrics.addTo(view.forwards(), own));
    sources.add("xds", own -> XdsMetrics.addTo(view.xds(), own));
    sources.add("load_reports", own -> LoadReportMetrics.addTo(view.xds().loadReports(), own));
    sources.add("balancing", own -> LbMetrics.addTo(view.balancing(), own));
    sources.add("overlay", own -> OverlayMetrics.addTo(view.overlay(), own));
    sources.add("certificates", own -> CertificateMetrics.addTo(view.certificates(), own));
    sources.add("process", own -> ProcessMetrics.addTo(own, view.version(), view.process()));
    return sources.all();
  }
}
