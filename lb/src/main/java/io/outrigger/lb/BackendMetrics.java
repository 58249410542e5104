package io.outrigger.lb;

import java.util.Map;

/**
 * What a backend says of its load (A51, ORCA); nothing of it is checked. A number that was not
 * given is zero.
 *
 * @param qps requests per second
 * @param eps errors per second
 * @param utilization further utilizations by name
 * @param namedMetrics numbers that mean what the backend and its clients agreed on
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
