package io.outrigger.config.load;

import io.outrigger.config.endpoint.Locality;
import java.util.Map;

/**
 * The load of a cluster's endpoints in one locality. All numbers are counted since the last report,
 * except {@code inProgress}, the current number of requests in flight (A64-02).
 *
 * @param metrics the metrics that backends reported. Metric names have the form of {@code
 *     lrs_report_endpoint_metrics}, such as {@code cpu_utilization} and {@code named_metrics.queue}
 */
public record LocalityLoad(
    Locality locality,
    long issued,
    long succeeded,
    long failed,
    long inProgress,
    Map<String, MetricTotal> metrics) {
  public LocalityLoad {
    metrics = Map.copyOf(metrics);
  }
}
