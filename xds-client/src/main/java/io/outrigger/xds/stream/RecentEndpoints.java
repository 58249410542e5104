package io.outrigger.xds.stream;

import io.outrigger.base.AnyThread;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.LocalityEndpoints;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The endpoints of large clusters as they were read last. What a new reading has in common with
 * that one is made the same object here, where responses are decoded, so that the control loop
 * compares ten thousand endpoints by looking at none of them.
 *
 * <p>It only saves work: a set that is remembered too long, or forgotten too early, changes no
 * result. Sets are held weakly, for who uses one holds it.
 */
@AnyThread
final class RecentEndpoints {
  /** Fewer are compared in no time. */
  private static final int LARGE = 100;

  private final Map<String, WeakReference<EndpointSet>> sets = new ConcurrentHashMap<>();

  /** An equal set, whose parts are those of the set that was read last under {@code name}. */
  @SuppressWarnings("ReferenceEquality") // sharing an equal set gives the very one
  EndpointSet sharing(String name, EndpointSet next) {
    if (!isLarge(next)) {
      return next;
    }
    WeakReference<EndpointSet> known = sets.get(name);
    EndpointSet before = known == null ? null : known.get();
    EndpointSet shared = before == null ? next : next.sharing(before);
    if (known == null) {
      sets.values().removeIf(set -> set.refersTo(null));
    }
    if (shared != before) {
      sets.put(name, new WeakReference<>(shared));
    }
    return shared;
  }

  /** How many names are remembered. */
  int count() {
    return sets.size();
  }

  private static boolean isLarge(EndpointSet set) {
    int count = 0;
    for (List<LocalityEndpoints> priority : set.priorities()) {
      for (LocalityEndpoints locality : priority) {
        count += locality.endpoints().size();
      }
    }
    return count >= LARGE;
  }
}
