package io.outrigger.lb.tree;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.lb.LbConfig;

/**
 * A leaf cluster, its priorities' names, and the tree made of both. Kept from one update to the
 * next: names build on those before, and an unchanged cluster keeps the very same tree.
 */
record LeafTree(ClusterConfig.Leaf source, PriorityNames names, LbConfig config) {
  /** The tree of {@code source}, which was not known before. */
  static LeafTree of(ClusterConfig.Leaf source) {
    return following(source, PriorityNames.NONE);
  }

  /** The tree of the same cluster as {@code next} has it; this very one when nothing changed. */
  LeafTree with(ClusterConfig.Leaf next) {
    return next.equals(source) ? this : following(next, names);
  }

  /** The same cluster balanced by another policy than its own. */
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
            .match(endpoints -> before.after(endpoints.priorities()), failure -> before);
    return new LeafTree(source, names, ClusterTree.leaf(source, names));
  }

  String name() {
    return source.cluster().name();
  }

  /** Whether asking for addresses again may help: names are resolved again, EDS pushes (A37). */
  boolean reresolves() {
    return ClusterTree.reresolves(source.cluster().source());
  }
}
