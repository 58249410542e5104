package io.outrigger.lb.tree;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Outcome;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.lb.config.LbConfig;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The configured tree of every known cluster. A cluster that an update does not change is not built
 * again: its tree stays the same object, which policies recognise at once.
 */
@ControlConfined
final class LbConfigCache {
  private final Map<String, Outcome<ClusterConfig>> clusters = new HashMap<>();
  private final Map<String, LeafTree> leaves = new HashMap<>();
  private final Map<String, ClusterConfig.Aggregate> aggregates = new HashMap<>();

  /** Whether the policy of an aggregate replaces those of its leaves (A75-05). */
  private boolean aggregatesDecide;

  /** From now on the policy of an aggregate is that of its leaves; before any cluster. */
  void letAggregatesDecide() {
    aggregatesDecide = true;
  }

  /** Takes a complete new set of clusters. */
  void replace(Map<String, Outcome<ClusterConfig>> next) {
    clusters.keySet().retainAll(next.keySet());
    leaves.keySet().retainAll(next.keySet());
    aggregates.keySet().retainAll(next.keySet());
    next.forEach(this::put);
  }

  /**
   * Takes some clusters anew.
   *
   * @return clusters whose trees may have changed: {@code changed} and the aggregates that contain
   *     them
   */
  Set<String> update(Map<String, Outcome<ClusterConfig>> changed) {
    changed.forEach(this::put);
    Set<String> others = new HashSet<>(changed.keySet());
    aggregates.forEach(
        (name, aggregate) -> {
          if (!Collections.disjoint(aggregate.leaves(), changed.keySet())) {
            others.add(name);
          }
        });
    return others;
  }

  private void put(String name, Outcome<ClusterConfig> cluster) {
    clusters.put(name, cluster);
    ClusterConfig value = cluster.toOptional().orElse(null);
    if (value instanceof ClusterConfig.Leaf leaf) {
      LeafTree known = leaves.get(name);
      leaves.put(name, known == null ? LeafTree.of(leaf) : known.with(leaf));
    } else {
      leaves.remove(name);
    }
    if (value instanceof ClusterConfig.Aggregate aggregate) {
      aggregates.put(name, aggregate);
    } else {
      aggregates.remove(name);
    }
  }

  boolean knows(String name) {
    return clusters.containsKey(name);
  }

  /** The resolution note of that cluster (A88); empty when it is not known. */
  String note(String name) {
    return Optional.ofNullable(clusters.get(name))
        .flatMap(Outcome::toOptional)
        .map(ClusterConfig::resolutionNote)
        .orElse("");
  }

  /** The tree of a cluster that is known. */
  LbConfig tree(String name) {
    return Objects.requireNonNull(clusters.get(name), name)
        .match(cluster -> tree(name, cluster), LbConfig.Refusing::new);
  }

  private LbConfig tree(String name, ClusterConfig cluster) {
    if (cluster instanceof ClusterConfig.Aggregate aggregate) {
      List<LeafTree> usable =
          aggregate.leaves().stream()
              .map(leaves::get)
              .filter(Objects::nonNull)
              .map(leaf -> aggregatesDecide ? leaf.balanced(aggregate.cluster().policy()) : leaf)
              .toList();
      return ClusterTree.aggregate(aggregate, usable);
    }
    return Objects.requireNonNull(leaves.get(name), name).config();
  }
}
