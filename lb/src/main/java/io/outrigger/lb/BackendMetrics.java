package io.outrigger.lb;

import io.outrigger.config.cluster.PropagatedMetrics;
import java.util.Map;

/**
 * A load report that a backend sent about itself (A51, ORCA). The numbers are not validated; a
 * number that is absent from the report is zero.
 *
 * @param qps requests per second
 * @param eps application errors per second
 * @param namedMetrics application-defined metrics, by name
 */
public record BackendMetrics(
    double applicationUtilization,
    double cpuUtilization,
    double memUtilization,
    double qps,
    double eps,
    Map<String, Double> utilization,
    Map<String, Double> namedMetrics) {
  public BackendMetrics {
    utilization = Map.copyOf(utilization);
    namedMetrics = Map.copyOf(namedMetrics);
  }

  /**
   * Returns a metric by its name in xDS, such as {@code named_metrics.queue} (A85). Returns NaN if
   * the report lacks the metric. The utilization of application, CPU or memory is absent unless it
   * is positive, because zero means that the backend sent no value.
   */
  public double metric(String name) {
    if (name.startsWith(PropagatedMetrics.NAMED_METRICS)) {
      String key = name.substring(PropagatedMetrics.NAMED_METRICS.length());
      return namedMetrics.getOrDefault(key, Double.NaN);
    }
    if (name.startsWith(PropagatedMetrics.UTILIZATION)) {
      String key = name.substring(PropagatedMetrics.UTILIZATION.length());
      return utilization.getOrDefault(key, Double.NaN);
    }
    double number =
        switch (name) {
          case PropagatedMetrics.APPLICATION_UTILIZATION -> applicationUtilization;
          case PropagatedMetrics.CPU_UTILIZATION -> cpuUtilization;
          case PropagatedMetrics.MEM_UTILIZATION -> memUtilization;
          default -> Double.NaN;
        };
    return number > 0 ? number : Double.NaN;
  }
}
