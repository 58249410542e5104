package io.outrigger.config.endpoint;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A ClusterLoadAssignment, or what DNS resolved in the same form.
 *
 * @param priorities highest first, contiguous from 0; a priority is a list of localities
 */
public record EndpointSet(
    String name, List<List<LocalityEndpoints>> priorities, List<DropCategory> drops) {
  public EndpointSet {
    priorities = priorities.stream().map(List::copyOf).toList();
    drops = List.copyOf(drops);
  }

  /**
   * The same set, of which what equals a part of {@code before} is that very object: to compare the
   * two, or what is made of them, then costs little even when there are many endpoints. {@code
   * before} itself when nothing differs.
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
    var result = new EndpointSet(name, shared, drops);
    return result.equals(before) ? before : result;
  }
}
