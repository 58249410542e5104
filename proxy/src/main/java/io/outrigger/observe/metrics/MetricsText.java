package io.outrigger.observe.metrics;

import io.outrigger.base.AnyThread;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;

/** Renders the text of a scrape in one format. */
@AnyThread
public record MetricsText(ExpositionFormatWriter writer) {
  private static final ExpositionFormats FORMATS = ExpositionFormats.init();
  private static final Pattern WEIGHT = Pattern.compile(";q=([01](?:[.][0-9]{1,3})?)");

  /**
   * Returns the format that the client prefers.
   *
   * @param accept the {@code accept} header; an empty text selects the Prometheus format
   */
  public static MetricsText accepted(String accept) {
    double open = weight(accept, "application/openmetrics-text");
    return new MetricsText(
        open > 0 && open >= weight(accept, "text/plain")
            ? FORMATS.getOpenMetricsTextFormatWriter()
            : FORMATS.getPrometheusTextFormatWriter());
  }

  /** Returns the weight of a type in an accept header (RFC 9110 section 12.4.2); 0 if absent. */
  private static double weight(String accept, String type) {
    return Arrays.stream(accept.toLowerCase(Locale.ROOT).replaceAll("\\s", "").split(",", -1))
        .filter(range -> (range + ";").startsWith(type + ";"))
        .map(WEIGHT::matcher)
        .mapToDouble(weight -> weight.find() ? Double.parseDouble(weight.group(1)) : 1)
        .max()
        .orElse(0);
  }

  public String contentType() {
    return writer.getContentType();
  }

  /**
   * @param memory a stream in memory, so writing cannot fail
   */
  public void write(MetricsView view, OutputStream memory) {
    try {
      writer.write(memory, snapshots(view));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns all metrics. gRPC's names contain dots, which the Prometheus writer replaces. */
  public static MetricSnapshots snapshots(MetricsView view) {
    var all = new Instruments(view.leftOutLabels());
    ForwardMetrics.addTo(view.forwards(), view.serves(), all);
    CallMetrics.addTo(view.forwards(), view.serves(), all);
    XdsMetrics.addTo(view.xds(), all);
    view.balancing().addTo(all);
    XdsMetrics.addOverlay(view.overlay(), all);
    XdsMetrics.addCertificates(view.certificates(), all);
    ProcessMetrics.addTo(view.version(), view.process(), all);
    return all.snapshots();
  }
}
