package io.outrigger.xds.deps;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.cluster.ClusterSource;
import java.util.HashSet;
import java.util.Set;

/** What a walk of the graph looked up, and therefore wants watched; filled during the walk only. */
@ControlConfined
record WatchSet(
    Set<String> routes, Set<String> clusters, Set<String> endpoints, Set<ClusterSource.Dns> hosts) {
  /** Nothing but the listener, which is always watched. */
  static WatchSet nothing() {
    return new WatchSet(new HashSet<>(), new HashSet<>(), new HashSet<>(), new HashSet<>());
  }
}
