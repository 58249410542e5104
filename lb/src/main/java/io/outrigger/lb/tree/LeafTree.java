package io.outrigger.lb.tree;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.lb.config.LbConfig;

/**
 * A leaf cluster with the names of its priorities, and the tree that is built from them. Names are
 * reused from update to update, and an unchanged cluster keeps the same tree object.
 */
record LeafTree(ClusterConfig.Leaf source, PriorityNames names, LbConfig config) {
  /** Builds the tree of {@code source}, which was not known before. */
  static LeafTree of(ClusterConfig.Leaf source) {
    return following(source, PriorityNames.NONE);
  }

  /**
   * Returns the tree of the cluster's new version {@code next}; returns this instance when nothing
   * changed.
   */
  LeafTree with(ClusterConfig.Leaf next) {
    return next.equals(source) ? this : following(next, names);
  }

  /** Returns the same cluster with {@code policy} in place of the cluster's own policy. */
  LeafTree balanced(BalancingPolicy policy) {
    if (source.cluster().policy().equals(policy)) {
      return this;
    }
    var other =
        new ClusterConfig.Leaf(
            source.cluster().balanced(policy), source.endpoints(), source.resolutionNote());
    return new LeafTree(other, names, ClusterTree.leaf(other, names));
  }

  private static LeafTree following(ClusterConfig.Leaf source, PriorityNames before) {
    PriorityNames names =
        source
            .endpoints()
            .toOptional()
            .map(EndpointSet::priorities)
            .map(before::after)
            .orElse(before);
    return new LeafTree(source, names, ClusterTree.leaf(source, names));
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
