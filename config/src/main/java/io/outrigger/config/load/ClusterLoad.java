package io.outrigger.config.load;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The load of a cluster since the last load report, or since the start of counting.
 *
 * @param edsServiceName the EDS service name of the cluster; may be empty
 * @param drops the number of dropped requests by category; categories without drops are absent
 * @param refusals the number of requests that the circuit breaker refused (A32-08)
 * @param localities the loads of localities with activity in the interval (A64-03)
 */
public record ClusterLoad(
    String cluster,
    String edsServiceName,
    Duration interval,
    Map<String, Long> drops,
    long refusals,
    List<LocalityLoad> localities) {
  public ClusterLoad {
    drops = Map.copyOf(drops);
    localities = List.copyOf(localities);
  }

  public long dropped() {
    return refusals + drops.values().stream().mapToLong(Long::longValue).sum();
  }
}
