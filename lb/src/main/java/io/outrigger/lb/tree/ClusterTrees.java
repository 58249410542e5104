package io.outrigger.lb.tree;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Outcome;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.lb.LbConfig;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The configured tree of every known cluster. What an update does not change is not built again:
 * its tree stays the same object, which policies recognise at once.
 */
@ControlConfined
final class ClusterTrees {
  private Map<String, Outcome<ClusterConfig>> clusters = Map.of();
  private final Map<String, LeafTree> leaves = new HashMap<>();

  /** Takes a complete new set of clusters. */
  void update(Map<String, Outcome<ClusterConfig>> next) {
    clusters = next;
    leaves.keySet().retainAll(next.keySet());
    next.forEach(
        (name, outcome) -> {
          if (outcome instanceof Outcome.Ok<ClusterConfig> ok
              && ok.value() instanceof ClusterConfig.Leaf leaf) {
            LeafTree known = leaves.get(name);
            leaves.put(name, known == null ? LeafTree.of(leaf) : known.with(leaf));
          } else {
            leaves.remove(name);
          }
        });
  }

  boolean knows(String name) {
    return clusters.containsKey(name);
  }

  /** The tree of a cluster that is known. */
  LbConfig tree(String name) {
    return Objects.requireNonNull(clusters.get(name), name)
        .match(cluster -> tree(name, cluster), LbConfig.Refusing::new);
  }

  private LbConfig tree(String name, ClusterConfig cluster) {
    if (cluster instanceof ClusterConfig.Aggregate aggregate) {
      List<LeafTree> usable =
          aggregate.leaves().stream().map(leaves::get).filter(Objects::nonNull).toList();
      return ClusterTree.aggregate(aggregate, usable);
    }
    return Objects.requireNonNull(leaves.get(name), name).config();
  }
}
