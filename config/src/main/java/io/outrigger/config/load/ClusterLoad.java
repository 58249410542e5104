package io.outrigger.config.load;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The load of a cluster since it was last reported, or since it began to be counted.
 *
 * @param edsServiceName empty when the cluster has none
 * @param interval what passed since then
 * @param drops dropped requests by category, those with any
 * @param refused requests that the circuit breaker refused, which have no category (A32-08)
 * @param localities those with any activity (A64-03)
 */
public record ClusterLoad(
    String cluster,
    String edsServiceName,
    Duration interval,
    Map<String, Long> drops,
    long refused,
    List<LocalityLoad> localities) {
  public ClusterLoad {
    drops = Map.copyOf(drops);
    localities = List.copyOf(localities);
  }

  /** Every request that was not sent although there was somewhere to send it. */
  public long dropped() {
    return refused + drops.values().stream().mapToLong(Long::longValue).sum();
  }
}
