package io.outrigger.observe.metrics;

import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Renders the text of a scrape in one format. */
public record MetricsText(ExpositionFormatWriter writer) {
  private static final ExpositionFormats FORMATS = ExpositionFormats.init();
  private static final String OPEN = "application/openmetrics-text";
  private static final Pattern WEIGHT = Pattern.compile(";q=([01](?:[.][0-9]{1,3})?)");

  /**
   * Returns the format that the client prefers (RFC 9110 section 12.5.1). If the client prefers
   * neither format, returns OpenMetrics only if the header names OpenMetrics.
   *
   * @param accept the {@code accept} header; may be empty
   */
  public static MetricsText accepted(String accept) {
    Map<String, Double> weights = new HashMap<>();
    for (String range : accept.toLowerCase(Locale.ROOT).replaceAll("\\s", "").split(",", -1)) {
      Matcher weight = WEIGHT.matcher(range);
      double given = weight.find() ? Double.parseDouble(weight.group(1)) : 1;
      weights.merge(range.split(";", 2)[0], given, Math::max);
    }
    double any = weights.getOrDefault("*/*", 0.0);
    double open = weights.getOrDefault(OPEN, weights.getOrDefault("application/*", any));
    double plain = weights.getOrDefault("text/plain", weights.getOrDefault("text/*", any));
    return new MetricsText(
        open > plain || (open == plain && open > 0 && weights.containsKey(OPEN))
            ? FORMATS.getOpenMetricsTextFormatWriter()
            : FORMATS.getPrometheusTextFormatWriter());
  }

  public String contentType() {
    return writer.getContentType();
  }

  /**
   * @param memory a stream into memory, so that writes cannot fail
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
