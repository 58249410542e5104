package io.outrigger.xds.deps;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.EndpointSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/** Resolves the DNS names of clusters (A37). Clusters with the same name share one resolution. */
@ControlConfined
final class DnsClusters {
  private final ControlLoop loop;
  private final DnsLookup dns;
  private final RandomSource random;
  private final Runnable onChange;
  private final Map<ClusterSource.Dns, DnsName> names = new HashMap<>();

  /**
   * @param onChange called when the result of {@link #get} has changed, but never from within a
   *     method of this class
   */
  DnsClusters(ControlLoop loop, DnsLookup dns, RandomSource random, Runnable onChange) {
    this.loop = loop;
    this.dns = dns;
    this.random = random;
    this.onChange = onChange;
  }

  /**
   * Returns the state of {@code name}, or {@link WatchState#nothing} when the name is not being
   * resolved.
   */
  WatchState<EndpointSet> get(ClusterSource.Dns name) {
    DnsName entry = names.get(name);
    return entry == null ? WatchState.nothing() : entry.known();
  }

  /** Starts to resolve the names of {@code wanted} that are not being resolved yet. */
  void start(Set<ClusterSource.Dns> wanted) {
    for (ClusterSource.Dns name : wanted) {
      if (!names.containsKey(name)) {
        var entry = new DnsName(loop, dns, random, name, onChange);
        names.put(name, entry);
        entry.start();
      }
    }
  }

  /** Ends the lookups of all names that are in neither set. */
  void retain(Set<ClusterSource.Dns> wanted, Set<ClusterSource.Dns> others) {
    for (Iterator<Map.Entry<ClusterSource.Dns, DnsName>> all = names.entrySet().iterator();
        all.hasNext(); ) {
      Map.Entry<ClusterSource.Dns, DnsName> next = all.next();
      if (!wanted.contains(next.getKey()) && !others.contains(next.getKey())) {
        all.remove();
        next.getValue().close();
      }
    }
  }

  /** Resolves every name again, each as soon as its minimum interval has passed (A37-09, A74). */
  void requestReresolution() {
    names.values().forEach(DnsName::requestReresolution);
  }
}
