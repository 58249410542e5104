package io.outrigger.xds.deps;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.cluster.ClusterSource;
import java.util.HashSet;
import java.util.Set;

/**
 * The resources that a walk of the graph looked up and that must therefore be watched. The walk
 * fills the sets, which do not change after the walk.
 */
@ControlConfined
record WatchSet(
    Set<String> routes, Set<String> clusters, Set<String> endpoints, Set<ClusterSource.Dns> hosts) {
  /** Returns empty sets. The listener is always watched and belongs to no set. */
  static WatchSet nothing() {
    return new WatchSet(new HashSet<>(), new HashSet<>(), new HashSet<>(), new HashSet<>());
  }
}
