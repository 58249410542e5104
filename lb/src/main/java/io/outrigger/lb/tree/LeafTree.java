package io.outrigger.lb.tree;

import io.outrigger.base.Outcome;
import io.outrigger.config.endpoint.EndpointSet;
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
    ClusterConfig.Leaf shared = sharing(next);
    return shared.equals(source) ? this : following(shared, names);
  }

  /** {@code next} with the endpoints that were there before as the objects that they were. */
  private ClusterConfig.Leaf sharing(ClusterConfig.Leaf next) {
    if (source.endpoints() instanceof Outcome.Ok<EndpointSet> before
        && next.endpoints() instanceof Outcome.Ok<EndpointSet> after) {
      return new ClusterConfig.Leaf(
          next.cluster(), Outcome.ok(after.value().sharing(before.value())), next.resolutionNote());
    }
    return next;
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
