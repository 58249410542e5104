package io.outrigger.lb.tree;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.lb.config.LbConfig;

/**
 * A leaf cluster with the names of its priorities, its endpoints, and the tree that is built from
 * them. Each update builds on the previous instance: names and endpoints are reused, and an
 * unchanged cluster keeps the same tree object.
 */
record LeafTree(
    ClusterConfig.Leaf source, PriorityNames names, ClusterBackends backends, LbConfig config) {
  /** Builds the tree of {@code source}, which was not known before. */
  static LeafTree of(ClusterConfig.Leaf source) {
    return following(source, PriorityNames.NONE, ClusterBackends.NONE);
  }

  /**
   * Returns the tree of the cluster's new version {@code next}; returns this instance when nothing
   * changed.
   */
  LeafTree with(ClusterConfig.Leaf next) {
    return next.equals(source) ? this : following(next, names, backends);
  }

  /** Returns the same cluster with {@code policy} in place of the cluster's own policy. */
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

  /**
   * Whether a request for re-resolution may help: DNS names are resolved again, but EDS pushes its
   * endpoints (A37).
   */
  boolean reresolves() {
    return ClusterTree.reresolves(source.cluster().source());
  }
}
