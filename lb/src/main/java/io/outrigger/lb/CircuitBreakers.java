package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import java.util.HashMap;
import java.util.Map;

/**
 * The circuit breakers of the whole process, one per cluster and EDS service name. All users of a
 * cluster, under an aggregate or through another listener, share its breaker (A32 "Globally shared
 * atomics").
 *
 * <p>A breaker that no policy uses is forgotten once its last call has ended; until then a policy
 * that comes back finds it with its calls.
 */
@ControlConfined
public final class CircuitBreakers {
  private record Key(String cluster, String edsServiceName) {}

  private static final class Entry {
    private final CircuitBreaker breaker = new CircuitBreaker();
    private int users;
  }

  private final Map<Key, Entry> used = new HashMap<>();

  /** Breakers without users whose calls may not have ended yet. */
  private final Map<Key, Entry> unused = new HashMap<>();

  /** The breaker of a cluster; give it back with {@link #release}. */
  public CircuitBreaker acquire(String cluster, String edsServiceName) {
    var key = new Key(cluster, edsServiceName);
    Entry known = unused.remove(key);
    Entry entry = used.computeIfAbsent(key, absent -> known == null ? new Entry() : known);
    entry.users++;
    forgetIdle();
    return entry.breaker;
  }

  /** Gives up what {@link #acquire} took. */
  public void release(String cluster, String edsServiceName) {
    var key = new Key(cluster, edsServiceName);
    Entry entry = used.get(key);
    if (entry == null) {
      throw new IllegalStateException("breaker released more often than acquired: " + key);
    }
    entry.users--;
    if (entry.users == 0) {
      used.remove(key);
      unused.put(key, entry);
    }
    forgetIdle();
  }

  /** How many breakers are remembered. */
  public int size() {
    return used.size() + unused.size();
  }

  private void forgetIdle() {
    unused.values().removeIf(entry -> entry.breaker.inFlight() == 0);
  }
}
