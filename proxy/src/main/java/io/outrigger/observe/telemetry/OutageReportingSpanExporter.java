package io.outrigger.observe.telemetry;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;

/** A span exporter that reports outages to an {@link ExportOutageLog}. */
record OutageReportingSpanExporter(SpanExporter exporter, ExportOutageLog outage)
    implements SpanExporter {
  @Override
  public CompletableResultCode export(Collection<SpanData> batch) {
    return outage.watch(exporter.export(batch));
  }

  @Override
  public CompletableResultCode flush() {
    return exporter.flush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return exporter.shutdown();
  }
}
