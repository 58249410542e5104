package io.outrigger.observe.metrics;

import static io.outrigger.observe.metrics.Instruments.counter;
import static io.outrigger.observe.metrics.Instruments.gauge;

import io.outrigger.xds.status.LoadReportView;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The metrics of load reports, by server; gRPC defines no instruments for them. */
final class LoadReportMetrics {
  private static final double NANOS_PER_SECOND = 1e9;

  private LoadReportMetrics() {}

  static void addTo(List<LoadReportView> views, MetricSnapshots.Builder all) {
    Map<Labels, Double> reports = new TreeMap<>();
    Map<Labels, Double> failures = new TreeMap<>();
    Map<Labels, Double> intervals = new TreeMap<>();
    for (LoadReportView view : views) { // several servers with one URI have the same labels
      Labels labels = Labels.of("server", view.server());
      reports.merge(labels, (double) view.reports(), Double::sum);
      failures.merge(labels, (double) view.failures(), Double::sum);
      view.interval()
          .ifPresent(
              every -> intervals.merge(labels, every.toNanos() / NANOS_PER_SECOND, Math::min));
    }
    all.metricSnapshot(counter("outrigger_load_reports", "Load reports sent.", reports))
        .metricSnapshot(
            counter(
                "outrigger_load_report_failures",
                "Streams for load reports that ended without a response.",
                failures))
        .metricSnapshot(
            gauge(
                "outrigger_load_report_interval_seconds",
                "How often the server wants load reports; missing while it does not say so.",
                intervals));
  }
}
