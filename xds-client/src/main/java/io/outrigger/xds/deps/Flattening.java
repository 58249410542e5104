package io.outrigger.xds.deps;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The leaves of one aggregate cluster in depth-first order. A leaf that occurs several times is
 * listed once, at its first position (A37).
 *
 * <p>The set of visited clusters belongs to one root. With this set, the walk ends at loops and
 * lists the leaves of diamonds once. A set that is shared by several roots would make the lists of
 * leaves incomplete.
 *
 * @param leaves the names of the EDS and LOGICAL_DNS clusters
 * @param reached the names of all clusters in the tree in the order of the walk, the root first
 * @param failed the names of the clusters that do not exist or failed, with the reason
 * @param tooDeep whether a path of the tree is longer than the limit, so that the root fails
 */
@AnyThread
record Flattening(
    List<String> leaves, Set<String> reached, Map<String, RpcStatus> failed, boolean tooDeep) {
  /** The depth at which a cluster is an error; the root has depth 0 (A37, A75-11). */
  static final int MAX_DEPTH = 16;

  /** Flattens the tree of {@code root}, and looks up each name once in {@code clusters}. */
  static Flattening of(String root, Function<String, WatchState<ClusterResource>> clusters) {
    var walk = new Walk(clusters);
    walk.visit(root, 0);
    return new Flattening(walk.leaves, walk.seen, walk.failed, walk.tooDeep);
  }

  private static final class Walk {
    private final Function<String, WatchState<ClusterResource>> clusters;
    private final List<String> leaves = new ArrayList<>();
    private final Set<String> seen = new LinkedHashSet<>();
    private final Map<String, RpcStatus> failed = new LinkedHashMap<>();
    private boolean tooDeep;

    Walk(Function<String, WatchState<ClusterResource>> clusters) {
      this.clusters = clusters;
    }

    void visit(String name, int depth) {
      if (depth == MAX_DEPTH) {
        tooDeep = true;
        return;
      }
      if (!seen.add(name)) {
        return; // a diamond, whose leaves are listed already, or a loop (A75-09)
      }
      WatchState<ClusterResource> known = clusters.apply(name);
      if (known.value().isPresent()) {
        visit(known.value().get(), name, depth);
      } else if (!known.isUnresolved()) {
        failed.put(name, known.error());
      }
    }

    private void visit(ClusterResource cluster, String name, int depth) {
      if (cluster.source() instanceof ClusterSource.Aggregate aggregate) {
        for (String child : aggregate.clusters()) {
          visit(child, depth + 1);
        }
      } else {
        leaves.add(name);
      }
    }
  }
}
