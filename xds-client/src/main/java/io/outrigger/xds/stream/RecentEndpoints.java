package io.outrigger.xds.stream;

import io.outrigger.base.AnyThread;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.LocalityEndpoints;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Remembers the endpoints of large clusters as they were decoded last. Equal parts of a newly
 * decoded set and of the last set become the same objects. The sharing happens where responses are
 * decoded, so the control loop compares ten thousand endpoints by identity.
 *
 * <p>The class only saves work: a set that is remembered too long, or forgotten too early, changes
 * no result. The references to sets are weak, because every user of a set also holds a reference.
 */
@AnyThread
final class RecentEndpoints {
  /** The minimum number of endpoints of a remembered set, since small sets are cheap to compare. */
  private static final int LARGE = 100;

  private final Map<String, WeakReference<EndpointSet>> sets = new ConcurrentHashMap<>();

  @SuppressWarnings("ReferenceEquality") // an equal set is replaced by the same instance
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
