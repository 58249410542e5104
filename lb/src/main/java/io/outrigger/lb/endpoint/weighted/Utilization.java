package io.outrigger.lb.endpoint.weighted;

import io.outrigger.lb.BackendMetrics;
import java.util.List;

/** Derives the utilization of a backend from its report (A114 "Weight Calculation Logic"). */
final class Utilization {
  private static final String NAMED_METRICS = "named_metrics.";
  private static final String UTILIZATION = "utilization.";

  private Utilization() {}

  /**
   * Returns the largest positive value of {@code metrics}; without a positive value, the
   * application utilization if positive; otherwise the CPU utilization. The utilization is not
   * checked further.
   */
  static double of(BackendMetrics report, List<String> metrics) {
    double largest = 0;
    for (int i = 0; i < metrics.size(); i++) {
      double value = metric(report, metrics.get(i));
      if (value > largest) { // neither NaN nor negative
        largest = value;
      }
    }
    if (largest > 0) {
      return largest;
    }
    return report.applicationUtilization() > 0
        ? report.applicationUtilization()
        : report.cpuUtilization();
  }

  private static double metric(BackendMetrics report, String name) {
    if (name.startsWith(NAMED_METRICS)) {
      return report.namedMetrics().getOrDefault(name.substring(NAMED_METRICS.length()), 0.0);
    }
    if (name.startsWith(UTILIZATION)) {
      return report.utilization().getOrDefault(name.substring(UTILIZATION.length()), 0.0);
    }
    return switch (name) {
      case "application_utilization" -> report.applicationUtilization();
      case "cpu_utilization" -> report.cpuUtilization();
      case "mem_utilization" -> report.memUtilization();
      default -> 0;
    };
  }
}
