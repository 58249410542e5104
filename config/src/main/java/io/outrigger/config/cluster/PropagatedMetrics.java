package io.outrigger.config.cluster;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The metrics of a backend's per-request load reports (A51) that are reported to the control plane
 * (A85 {@code lrs_report_endpoint_metrics}).
 */
public record PropagatedMetrics(
    boolean cpuUtilization,
    boolean memUtilization,
    boolean applicationUtilization,
    Keys utilization,
    Keys namedMetrics) {
  public static final String CPU_UTILIZATION = "cpu_utilization";
  public static final String MEM_UTILIZATION = "mem_utilization";
  public static final String APPLICATION_UTILIZATION = "application_utilization";

  public static final String UTILIZATION = "utilization.";

  public static final String NAMED_METRICS = "named_metrics.";

  public static final PropagatedMetrics NONE = of(List.of());

  /**
   * Reads the names from the control plane; ignores unknown names (A85 "CDS Resource Validation").
   */
  public static PropagatedMetrics of(List<String> names) {
    return new PropagatedMetrics(
        names.contains(CPU_UTILIZATION),
        names.contains(MEM_UTILIZATION),
        names.contains(APPLICATION_UTILIZATION),
        Keys.of(names, UTILIZATION),
        Keys.of(names, NAMED_METRICS));
  }

  public boolean isEmpty() {
    return !cpuUtilization
        && !memUtilization
        && !applicationUtilization
        && utilization.isEmpty()
        && namedMetrics.isEmpty();
  }

  /** Selects keys of a map: every key if {@code all} is true, else the keys in {@code some}. */
  public record Keys(boolean all, Set<String> some) {
    private static final String EVERY = "*";

    public Keys {
      some = all ? Set.of() : Set.copyOf(some);
    }

    private static Keys of(List<String> names, String prefix) {
      Set<String> keys = new HashSet<>();
      for (String name : names) {
        if (name.startsWith(prefix)) {
          keys.add(name.substring(prefix.length()));
        }
      }
      return new Keys(keys.contains(EVERY), keys);
    }

    public boolean isEmpty() {
      return !all && some.isEmpty();
    }
  }
}
