package io.outrigger.lb.tree;

import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.config.endpoint.Reach;
import io.outrigger.lb.config.Backend;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The endpoints of a cluster by priority and locality; each update builds on the previous instance.
 *
 * @param priorities the priorities that the control plane sent, including unusable endpoints
 */
record ClusterBackends(List<List<LocalityBackends>> priorities) {
  static final ClusterBackends NONE = new ClusterBackends(List.of());

  ClusterBackends {
    priorities = priorities.stream().map(List::copyOf).toList();
  }

  /**
   * Returns the endpoints of {@code next}, built from this instance; see {@link
   * LocalityBackends#reach}.
   */
  ClusterBackends after(EndpointSet next, Reach reach) {
    List<List<LocalityBackends>> after = new ArrayList<>();
    for (int priority = 0; priority < next.priorities().size(); priority++) {
      Map<Locality, LocalityBackends> before = new HashMap<>();
      if (priority < priorities.size()) {
        priorities
            .get(priority)
            .forEach(locality -> before.put(locality.source().locality(), locality));
      }
      List<LocalityBackends> localities = new ArrayList<>();
      for (LocalityEndpoints locality : next.priorities().get(priority)) {
        LocalityBackends known = before.get(locality.locality());
        localities.add(
            known == null
                ? LocalityBackends.of(locality, priority, reach)
                : known.with(locality, priority, reach));
      }
      after.add(localities);
    }
    return new ClusterBackends(after);
  }

  /** Returns the endpoints that ordinary requests may not reach and that match {@code which}. */
  List<Backend> unusable(Predicate<Backend> which) {
    return priorities.stream()
        .flatMap(List::stream)
        .flatMap(locality -> locality.unusable().stream())
        .filter(which)
        .toList();
  }
}
