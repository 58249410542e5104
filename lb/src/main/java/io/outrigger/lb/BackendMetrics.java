package io.outrigger.lb;

import java.util.Map;

/**
 * A load report that a backend sent about itself (A51, ORCA); the numbers are unchecked. A number
 * that the report lacks is zero.
 *
 * @param qps requests per second
 * @param eps application errors per second
 * @param namedMetrics numbers whose meaning the backend and its clients have agreed on
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
}
