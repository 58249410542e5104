package io.outrigger.lb.tree;

import io.outrigger.base.ListChange;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.config.endpoint.Reach;
import io.outrigger.lb.config.Backend;
import java.util.ArrayList;
import java.util.List;

/**
 * The endpoints of a locality in the form that policies use. An endpoint that an update does not
 * change stays the same object, so that the comparison of two lists of endpoints is cheap.
 *
 * @param priority the priority of the locality in its cluster, 0 the highest
 * @param reach how the endpoints are connected; the addresses of the backends include it
 * @param all the backends in the order of {@code source}
 * @param usable the backends of {@code all} that ordinary requests may reach (A27-08)
 * @param unusable the backends of {@code all} that ordinary requests may not reach
 */
record LocalityBackends(
    LocalityEndpoints source,
    int priority,
    Reach reach,
    List<Backend> all,
    List<Backend> usable,
    List<Backend> unusable) {

  /** Creates the endpoints of a locality that was not known before. */
  static LocalityBackends of(LocalityEndpoints source, int priority, Reach reach) {
    var empty = new LocalityEndpoints(source.locality(), source.weight(), List.of());
    return new LocalityBackends(empty, priority, reach, List.of(), List.of(), List.of())
        .with(source);
  }

  LocalityBackends with(LocalityEndpoints next, int nextPriority, Reach nextReach) {
    return priority == nextPriority && reach.equals(nextReach)
        ? with(next)
        : of(next, nextPriority, nextReach);
  }

  private LocalityBackends with(LocalityEndpoints next) {
    ListChange<Endpoint> change = ListChange.between(source.endpoints(), next.endpoints());
    if (change.isEmpty()) {
      return new LocalityBackends(next, priority, reach, all, usable, unusable);
    }
    List<Backend> backends = new ArrayList<>(next.endpoints().size());
    backends.addAll(all.subList(0, change.head()));
    for (Endpoint endpoint : change.added()) {
      backends.add(new Backend(reach.of(endpoint), next.locality(), priority));
    }
    backends.addAll(all.subList(all.size() - change.tail(), all.size()));
    List<Backend> every = List.copyOf(backends);
    if (unusable.isEmpty() && change.added().stream().allMatch(LocalityBackends::isUsable)) {
      return new LocalityBackends(next, priority, reach, every, every, List.of());
    }
    List<Backend> good = new ArrayList<>(every.size());
    List<Backend> bad = new ArrayList<>();
    every.forEach(backend -> (isUsable(backend.endpoint()) ? good : bad).add(backend));
    return new LocalityBackends(next, priority, reach, every, List.copyOf(good), List.copyOf(bad));
  }

  private static boolean isUsable(Endpoint endpoint) {
    return endpoint.health().isUsable();
  }
}
