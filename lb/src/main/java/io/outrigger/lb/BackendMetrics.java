package io.outrigger.lb;

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
}
