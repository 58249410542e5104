package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The circuit breakers of the whole process, one per cluster and EDS service name. All listeners
 * and aggregate clusters that use a cluster share the cluster's breaker (A32 "Globally shared
 * atomics").
 *
 * <p>A breaker that no policy uses is removed after its last call has ended. If a policy acquires
 * an unused breaker before the breaker is removed, the breaker still counts the calls in progress.
 */
@ControlConfined
public final class CircuitBreakers {
  private static final class Entry {
    private final CircuitBreaker breaker = new CircuitBreaker();
    private int users;
  }

  /** The keys are lists, because the first call of a record's {@code equals} delays the start. */
  private final Map<List<String>, Entry> used = new HashMap<>();

  /** Breakers that no policy uses; some of their calls may still be in progress. */
  private final Map<List<String>, Entry> unused = new HashMap<>();

  /** Returns the breaker of a cluster; the caller must call {@link #release} after the last use. */
  public CircuitBreaker acquire(String cluster, String edsServiceName) {
    List<String> key = List.of(cluster, edsServiceName);
    Entry known = unused.remove(key);
    Entry entry = used.computeIfAbsent(key, absent -> known == null ? new Entry() : known);
    entry.users++;
    removeIdle();
    return entry.breaker;
  }

  public void release(String cluster, String edsServiceName) {
    List<String> key = List.of(cluster, edsServiceName);
    Entry entry = used.get(key);
    if (entry == null) {
      throw new IllegalStateException("breaker released more often than acquired: " + key);
    }
    entry.users--;
    if (entry.users == 0) {
      used.remove(key);
      unused.put(key, entry);
    }
    removeIdle();
  }

  private void removeIdle() {
    unused.values().removeIf(entry -> entry.breaker.inFlight() == 0);
  }
}
