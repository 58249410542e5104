package io.outrigger.config.load;

import io.outrigger.config.endpoint.Locality;
import java.util.Map;

/**
 * The load of a cluster's endpoints in one locality. All are counts since the last report but
 * {@code inProgress}, which is what goes on now (A64-02).
 *
 * @param metrics what backends said of themselves, by the names of {@code
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
