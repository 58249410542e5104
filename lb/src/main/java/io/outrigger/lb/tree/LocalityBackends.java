package io.outrigger.lb.tree;

import io.outrigger.base.ListChange;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.lb.Backend;
import java.util.ArrayList;
import java.util.List;

/**
 * The endpoints of a locality as policies take them. What an update leaves as it was are the very
 * objects of before, and not looked at again: comparing two lists of them is no work.
 *
 * @param priority of the locality in its cluster, 0 the highest
 * @param proxied whether connections go through the proxies that endpoints name (A86); else the
 *     proxies are left out
 * @param all in the order of {@code source}
 * @param usable those of {@code all} that ordinary requests may reach (A27-08)
 * @param unusable the others
 */
record LocalityBackends(
    LocalityEndpoints source,
    int priority,
    boolean proxied,
    List<Backend> all,
    List<Backend> usable,
    List<Backend> unusable) {

  /** The endpoints of a locality that was not known before. */
  static LocalityBackends of(LocalityEndpoints source, int priority, boolean proxied) {
    var empty = new LocalityEndpoints(source.locality(), source.weight(), List.of());
    return new LocalityBackends(empty, priority, proxied, List.of(), List.of(), List.of())
        .with(source);
  }

  /** The same locality in another place. */
  LocalityBackends with(LocalityEndpoints next, int nextPriority, boolean nextProxied) {
    return priority == nextPriority && proxied == nextProxied
        ? with(next)
        : of(next, nextPriority, nextProxied);
  }

  private LocalityBackends with(LocalityEndpoints next) {
    ListChange<Endpoint> change = ListChange.between(source.endpoints(), next.endpoints());
    if (change.isEmpty()) {
      return new LocalityBackends(next, priority, proxied, all, usable, unusable);
    }
    List<Backend> backends = new ArrayList<>(next.endpoints().size());
    backends.addAll(all.subList(0, change.head()));
    for (Endpoint endpoint : change.added()) {
      Endpoint reached = proxied ? endpoint : endpoint.direct();
      backends.add(new Backend(reached, next.locality(), priority));
    }
    backends.addAll(all.subList(all.size() - change.tail(), all.size()));
    List<Backend> every = List.copyOf(backends);
    if (unusable.isEmpty() && change.added().stream().allMatch(LocalityBackends::isUsable)) {
      return new LocalityBackends(next, priority, proxied, every, every, List.of());
    }
    List<Backend> good = new ArrayList<>(every.size());
    List<Backend> bad = new ArrayList<>();
    every.forEach(backend -> (isUsable(backend.endpoint()) ? good : bad).add(backend));
    return new LocalityBackends(
        next, priority, proxied, every, List.copyOf(good), List.copyOf(bad));
  }

  private static boolean isUsable(Endpoint endpoint) {
    return endpoint.health().isUsable();
  }
}
