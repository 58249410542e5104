package io.outrigger.observe.metrics;

import io.outrigger.base.AnyThread;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** Renders the text of a scrape in one format. */
@AnyThread
public final class MetricsText {
  private static final ExpositionFormats FORMATS = ExpositionFormats.init();

  private final ExpositionFormatWriter writer;

  private MetricsText(ExpositionFormatWriter writer) {
    this.writer = writer;
  }

  /**
   * Returns the format that the client prefers.
   *
   * @param accept the {@code accept} header; empty without one, which means the Prometheus format
   */
  public static MetricsText accepted(String accept) {
    return new MetricsText(FORMATS.findWriter(accept));
  }

  public String contentType() {
    return writer.getContentType();
  }

  /**
   * Writes the text of a scrape, in UTF-8.
   *
   * @param memory a memory stream, which does not fail
   */
  public void write(MetricsView view, OutputStream memory) {
    try {
      writer.write(memory, snapshots(view));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns all instruments. Names of gRPC's metrics contain dots, which Prometheus replaces. */
  public static MetricSnapshots snapshots(MetricsView view) {
    var sources = new MetricSources(view.failedSources(), view.leftOutLabels());
    sources.add("forwards", own -> ForwardMetrics.addTo(view.forwards(), view.serves(), own));
    sources.add("calls", own -> CallMetrics.addTo(view.forwards(), view.serves(), own));
    sources.add("xds", own -> XdsMetrics.addTo(view.xds(), own));
    sources.add("balancing", view.balancing()::addTo);
    sources.add("overlay", own -> XdsMetrics.addOverlay(view.overlay(), own));
    sources.add("certificates", own -> XdsMetrics.addCertificates(view.certificates(), own));
    sources.add("process", own -> ProcessMetrics.addTo(view.version(), view.process(), own));
    return sources.all();
  }
}
