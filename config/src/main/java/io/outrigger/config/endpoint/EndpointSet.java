package io.outrigger.config.endpoint;

import java.util.List;

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
}
