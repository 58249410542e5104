package io.outrigger.observe.telemetry;

import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.calls.CallTracer;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The connection to an OTLP collector. All settings except the endpoint come from OpenTelemetry's
 * standard variables ({@code OTEL_EXPORTER_OTLP_PROTOCOL}, {@code OTEL_TRACES_SAMPLER}, {@code
 * OTEL_SERVICE_NAME}…), with their usual meaning.
 */
@AnyThread
public final class Telemetry implements AutoCloseable {
  private static final Duration FLUSH_LIMIT = Duration.ofSeconds(2);
  private static final String SCOPE = "outrigger";

  /** The defaults for OpenTelemetry's environment variables that are not set. */
  private static final Map<String, String> DEFAULTS =
      Map.of(
          "otel.service.name", "outrigger",
          "otel.exporter.otlp.protocol", "grpc",
          "otel.propagators", "tracecontext",
          "otel.logs.exporter", "none");

  private final OpenTelemetrySdk sdk;

  private Telemetry(OpenTelemetrySdk sdk) {
    this.sdk = sdk;
  }

  /**
   * Starts the exports.
   *
   * @param endpoint a URL such as {@code http://collector:4317}
   * @param metrics supplies the metrics for each export, on a thread of the SDK; may block
   * @throws IllegalArgumentException when a variable or the endpoint cannot be used; the message
   *     gives the reason
   */
  public static Telemetry start(
      String endpoint, String version, Supplier<MetricSnapshots> metrics) {
    var producer = new OtlpMetrics(metrics, version, Instant.now());
    try {
      return new Telemetry(
          AutoConfiguredOpenTelemetrySdk.builder()
              .disableShutdownHook()
              .addPropertiesSupplier(() -> DEFAULTS)
              .addPropertiesCustomizer(
                  properties -> Map.of("otel.exporter.otlp.endpoint", endpoint))
              .addMeterProviderCustomizer(
                  (meters, properties) -> meters.registerMetricProducer(producer))
              .addMetricExporterCustomizer(
                  (exporter, properties) ->
                      new ExportOutageLog("metrics", endpoint)
                          .watch(MetricExporter.class, exporter))
              .addSpanExporterCustomizer(
                  (exporter, properties) ->
                      new ExportOutageLog("traces", endpoint).watch(SpanExporter.class, exporter))
              .build()
              .getOpenTelemetrySdk());
    } catch (ConfigurationException | IllegalArgumentException e) {
      throw new IllegalArgumentException(errorLine(String.valueOf(e.getMessage())), e);
    }
  }

  /** Returns an SDK error in one line, with the names of the OTEL_ variables that are set. */
  private static String errorLine(String message) {
    String line = message.strip().replaceAll("\\s*\\R\\s*", " ");
    List<String> given =
        System.getenv().keySet().stream()
            .filter(name -> name.startsWith("OTEL_"))
            .sorted()
            .toList();
    return given.isEmpty() ? line : line + "; correct " + String.join(" or ", given);
  }

  public CallTracer tracer() {
    return otelTracer();
  }

  public CallTracer serverTracer() {
    return otelTracer()::beginServed;
  }

  private OtelTracer otelTracer() {
    return new OtelTracer(sdk.getTracer(SCOPE), sdk.getPropagators().getTextMapPropagator());
  }

  @Override
  public void close() {
    sdk.shutdown().join(FLUSH_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
  }
}
