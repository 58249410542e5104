package io.outrigger.config.endpoint;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A ClusterLoadAssignment, or the result of DNS resolution in the same form.
 *
 * @param priorities the priorities from 0 on, highest first and without gaps; a priority is a list
 *     of localities
 * @param leftOut the parts of the resource that are left out, such as {@code 1 locality without
 *     load_balancing_weight}
 */
public record EndpointSet(
    String name,
    List<List<LocalityEndpoints>> priorities,
    List<DropCategory> drops,
    List<String> leftOut) {
  public EndpointSet {
    priorities = priorities.stream().map(List::copyOf).toList();
    drops = List.copyOf(drops);
    leftOut = List.copyOf(leftOut);
  }

  public EndpointSet(
      String name, List<List<LocalityEndpoints>> priorities, List<DropCategory> drops) {
    this(name, priorities, drops, List.of());
  }

  /**
   * Returns the reason why no endpoint of {@code localities}, a priority of this set, can be
   * picked. The reason includes the parts that are left out, since these belong to no priority.
   */
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
   * Returns an equal set that contains the same instances as {@code before} for all equal parts, so
   * that a later comparison is cheap even with many endpoints. Returns {@code before} itself when
   * the sets are equal.
   */
  public EndpointSet sharing(EndpointSet before) {
    Map<Locality, LocalityEndpoints> known = new HashMap<>();
    before.priorities.forEach(
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
    return result.equals(before) ? before : result;
  }
}
