package io.outrigger.config.cluster;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The metrics of a backend's per-request load reports (A51) that are reported to the control plane
 * (A85 {@code lrs_report_endpoint_metrics}).
 *
 * @param names the names of single metrics, such as {@code named_metrics.queue}
 * @param allUtilization whether every metric with the prefix {@link #UTILIZATION} is reported
 * @param allNamedMetrics whether every metric with the prefix {@link #NAMED_METRICS} is reported
 */
public record PropagatedMetrics(
    Set<String> names, boolean allUtilization, boolean allNamedMetrics) {
  public static final String CPU_UTILIZATION = "cpu_utilization";
  public static final String MEM_UTILIZATION = "mem_utilization";
  public static final String APPLICATION_UTILIZATION = "application_utilization";
  public static final String UTILIZATION = "utilization.";
  public static final String NAMED_METRICS = "named_metrics.";

  public static final PropagatedMetrics NONE = new PropagatedMetrics(Set.of(), false, false);
  private static final Set<String> NUMBERS =
      Set.of(CPU_UTILIZATION, MEM_UTILIZATION, APPLICATION_UTILIZATION);

  public PropagatedMetrics {
    names = Set.copyOf(names);
  }

  /**
   * Parses metric names of a Cluster resource; ignores unknown names (A85 "CDS Resource
   * Validation").
   */
  public static PropagatedMetrics of(List<String> names) {
    boolean allUtilization = names.contains(UTILIZATION + "*");
    boolean allNamedMetrics = names.contains(NAMED_METRICS + "*");
    Set<String> single =
        names.stream()
            .filter(
                name ->
                    NUMBERS.contains(name)
                        || (name.startsWith(UTILIZATION) && !allUtilization)
                        || (name.startsWith(NAMED_METRICS) && !allNamedMetrics))
            .collect(Collectors.toSet());
    return new PropagatedMetrics(single, allUtilization, allNamedMetrics);
  }

  public boolean isEmpty() {
    return names.isEmpty() && !allUtilization && !allNamedMetrics;
  }
}
