package io.outrigger.config.endpoint;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The endpoints of a cluster, from a ClusterLoadAssignment or from DNS resolution.
 *
 * @param priorities the localities of each priority, from priority 0 (the highest) without gaps
 * @param leftOut texts about ignored parts of the resource, such as {@code 1 locality without
 *     load_balancing_weight}
 */
public record EndpointSet(
    String name,
    List<List<LocalityEndpoints>> priorities,
    List<DropCategory> drops,
    List<String> leftOut) {
  public EndpointSet {
    List<List<LocalityEndpoints>> copies = new ArrayList<>(priorities.size());
    priorities.forEach(each -> copies.add(List.copyOf(each))); // for each cluster, so no stream
    priorities = List.copyOf(copies);
    drops = List.copyOf(drops);
    leftOut = List.copyOf(leftOut);
  }

  public EndpointSet(
      String name, List<List<LocalityEndpoints>> priorities, List<DropCategory> drops) {
    this(name, priorities, drops, List.of());
  }

  /** Returns the reason why no endpoint of a priority's {@code localities} can be picked. */
  public String whyUnusable(List<LocalityEndpoints> localities) {
    Map<HealthStatus, Integer> byHealth = new EnumMap<>(HealthStatus.class);
    for (LocalityEndpoints locality : localities) {
      locality.endpoints().forEach(each -> byHealth.merge(each.health(), 1, Integer::sum));
    }
    List<String> reasons = new ArrayList<>();
    byHealth.forEach((health, count) -> reasons.add(count + " " + health));
    reasons.addAll(leftOut);
    return reasons.isEmpty() ? "it has no endpoint" : String.join(", ", reasons);
  }
}
