package io.outrigger.lb.tree;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.lb.config.LbConfig;

/**
 * A leaf cluster, its priorities' names, its endpoints, and the tree made of them. Kept from one
 * update to the next: names and endpoints build on those before, and an unchanged cluster keeps the
 * very same tree.
 */
record LeafTree(
    ClusterConfig.Leaf source, PriorityNames names, ClusterBackends backends, LbConfig config) {
  /** The tree of {@code source}, which was not known before. */
  static LeafTree of(ClusterConfig.Leaf source) {
    return following(source, PriorityNames.NONE, ClusterBackends.NONE);
  }

  /** The tree of the same cluster as {@code next} has it; this very one when nothing changed. */
  LeafTree with(ClusterConfig.Leaf next) {
    return next.equals(source) ? this : following(next, names, backends);
  }

  /** The same cluster balanced by another policy than its own. */
  LeafTree balanced(BalancingPolicy policy) {
    if (source.cluster().policy().equals(policy)) {
      return this;
    }
    var other =
        new ClusterConfig.Leaf(
            source.cluster().balanced(policy), source.endpoints(), source.resolutionNote());
    return new LeafTree(other, names, backends, ClusterTree.leaf(other, names, backends));
  }

  private static LeafTree following(
      ClusterConfig.Leaf source, PriorityNames namesBefore, ClusterBackends backendsBefore) {
    EndpointSet endpoints = source.endpoints().toOptional().orElse(null);
    if (endpoints == null) {
      return new LeafTree(
          source,
          namesBefore,
          ClusterBackends.NONE,
          ClusterTree.leaf(source, namesBefore, ClusterBackends.NONE));
    }
    PriorityNames names = namesBefore.after(endpoints.priorities());
    ClusterBackends backends = backendsBefore.after(endpoints, source.cluster().reach());
    return new LeafTree(source, names, backends, ClusterTree.leaf(source, names, backends));
  }

  String name() {
    return source.cluster().name();
  }

  /** Whether asking for addresses again may help: names are resolved again, EDS pushes (A37). */
  boolean reresolves() {
    return ClusterTree.reresolves(source.cluster().source());
  }
}
