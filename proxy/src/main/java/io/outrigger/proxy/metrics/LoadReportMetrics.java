package io.outrigger.proxy.metrics;

import static io.outrigger.proxy.metrics.MetricsText.add;
import static io.outrigger.proxy.metrics.MetricsText.counter;
import static io.outrigger.proxy.metrics.MetricsText.gauge;

import io.outrigger.xds.status.LoadReportView;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;

/** How load reports fare, by server; gRPC names no instruments for them. */
final class LoadReportMetrics {
  private static final double NANOS_PER_SECOND = 1e9;

  private LoadReportMetrics() {}

  static void addTo(List<LoadReportView> views, MetricSnapshots.Builder all) {
    var reports = counter("outrigger_load_reports", "Load reports sent.");
    var failures =
        counter(
            "outrigger_load_report_failures",
            "Streams for load reports that ended without a response.");
    var interval =
        gauge(
            "outrigger_load_report_interval_seconds",
            "How often the server wants load reports; missing while it does not say so.");
    for (LoadReportView view : views) {
      Labels labels = Labels.of("server", view.server());
      add(reports, labels, view.reports());
      add(failures, labels, view.failures());
      view.interval().ifPresent(every -> add(interval, labels, every.toNanos() / NANOS_PER_SECOND));
    }
    all.metricSnapshot(reports.build())
        .metricSnapshot(failures.build())
        .metricSnapshot(interval.build());
  }
}
