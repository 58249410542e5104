package io.outrigger.config.endpoint;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The endpoints of a cluster, from a ClusterLoadAssignment or from DNS resolution.
 *
 * @param priorities the localities of each priority, from priority 0 (the highest) without gaps
 * @param leftOut the ignored parts of the resource, such as {@code 1 locality without
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

  /** Returns the reason why no endpoint of one priority's {@code localities} can be picked. */
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

  /**
   * Returns a set that is equal to this set and reuses equal parts of {@code previous}, so that
   * later comparisons are fast. Returns {@code previous} itself if the two sets are equal.
   */
  public EndpointSet sharing(EndpointSet previous) {
    Map<Locality, LocalityEndpoints> known = new HashMap<>();
    previous.priorities.forEach(
        priority -> priority.forEach(locality -> known.put(locality.locality(), locality)));
    List<List<LocalityEndpoints>> shared = new ArrayList<>(priorities.size());
    for (List<LocalityEndpoints> priority : priorities) {
      List<LocalityEndpoints> localities = new ArrayList<>();
      for (LocalityEndpoints locality : priority) {
        LocalityEndpoints old = known.get(locality.locality());
        localities.add(old == null ? locality : locality.sharing(old));
      }
      shared.add(localities);
    }
    var result = new EndpointSet(name, shared, drops, leftOut);
    return result.equals(previous) ? previous : result;
  }
}
