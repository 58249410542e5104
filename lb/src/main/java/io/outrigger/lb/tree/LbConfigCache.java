package io.outrigger.lb.tree;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Outcome;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.endpoint.EndpointSet;
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
 * The tree configuration of every known cluster, built when it is first requested. The tree
 * configuration of an unchanged cluster stays the same object, so policies recognize immediately
 * that nothing has changed.
 */
@ControlConfined
final class LbConfigCache {
  private final Map<String, Outcome<ClusterConfig>> clusters = new HashMap<>();
  private final Map<String, LeafTree> leaves = new HashMap<>(); // those requested so far

  private final boolean aggregatesDecide;

  /**
   * @param aggregatesDecide whether the policy of an aggregate replaces the policies of its leaf
   *     clusters (A75-05)
   */
  LbConfigCache(boolean aggregatesDecide) {
    this.aggregatesDecide = aggregatesDecide;
  }

  void replace(Map<String, Outcome<ClusterConfig>> next) {
    clusters.keySet().retainAll(next.keySet());
    leaves.keySet().retainAll(next.keySet());
    next.forEach(this::put);
  }

  /**
   * Stores the new configurations of the changed clusters.
   *
   * @return the clusters whose trees may have changed: the changed clusters and the aggregates that
   *     contain them
   */
  Set<String> update(Map<String, Outcome<ClusterConfig>> changed) {
    changed.forEach(this::put);
    Set<String> affected = new HashSet<>(changed.keySet());
    clusters.forEach(
        (name, cluster) -> {
          if (cluster.toOptional().orElse(null) instanceof ClusterConfig.Aggregate aggregate
              && !Collections.disjoint(aggregate.leaves(), changed.keySet())) {
            affected.add(name);
          }
        });
    return affected;
  }

  private void put(String name, Outcome<ClusterConfig> cluster) {
    clusters.put(name, cluster);
    if (!(cluster.toOptional().orElse(null) instanceof ClusterConfig.Leaf)) {
      leaves.remove(name);
    }
  }

  /** Returns the current tree of a leaf cluster; empty when there is no such leaf cluster. */
  private Optional<LeafTree> leaf(String name) {
    if (clusters.get(name) instanceof Outcome.Ok<ClusterConfig> known
        && known.value() instanceof ClusterConfig.Leaf current) {
      LeafTree before = leaves.get(name);
      LeafTree tree =
          before == null ? LeafTree.of(current, PriorityNames.NONE) : before.with(current);
      leaves.put(name, tree);
      return Optional.of(tree);
    }
    return Optional.empty();
  }

  boolean knows(String name) {
    return clusters.containsKey(name);
  }

  /** Returns the resolution note of a cluster (A88); empty when the cluster is unknown. */
  String note(String name) {
    return Optional.ofNullable(clusters.get(name))
        .flatMap(Outcome::toOptional)
        .map(ClusterConfig::resolutionNote)
        .orElse("");
  }

  LbConfig tree(String name) {
    return Objects.requireNonNull(clusters.get(name), name)
        .match(cluster -> tree(name, cluster), status -> new LbConfig.Failing(status, true));
  }

  private LbConfig tree(String name, ClusterConfig cluster) {
    if (cluster instanceof ClusterConfig.Aggregate aggregate) {
      List<LbConfig.Child> usable =
          aggregate.leaves().stream()
              .flatMap(each -> leaf(each).stream())
              .map(leaf -> aggregatesDecide ? leaf.withPolicy(aggregate.cluster().policy()) : leaf)
              .map(LeafTree::child)
              .toList();
      return ClusterTree.aggregate(aggregate, usable);
    }
    return leaf(name).orElseThrow().config();
  }

  /**
   * A leaf cluster, the names of its priorities, and its tree configuration. Updates reuse the
   * names of priorities, and an unchanged cluster keeps its {@code LeafTree} object.
   */
  private record LeafTree(ClusterConfig.Leaf source, PriorityNames names, LbConfig config) {
    /** Returns the tree for this configuration; if nothing has changed, this {@code LeafTree}. */
    LeafTree with(ClusterConfig.Leaf next) {
      return next.equals(source) ? this : of(next, names);
    }

    LeafTree withPolicy(BalancingPolicy policy) {
      if (source.cluster().policy().equals(policy)) {
        return this;
      }
      var other =
          new ClusterConfig.Leaf(
              source.cluster().balanced(policy), source.endpoints(), source.resolutionNote());
      return new LeafTree(other, names, ClusterTree.leaf(other, names));
    }

    /** Builds the tree of a leaf cluster, reusing its earlier priority names. */
    static LeafTree of(ClusterConfig.Leaf source, PriorityNames before) {
      PriorityNames names =
          source
              .endpoints()
              .toOptional()
              .map(EndpointSet::priorities)
              .map(before::after)
              .orElse(before);
      return new LeafTree(source, names, ClusterTree.leaf(source, names));
    }

    LbConfig.Child child() {
      String name = source.cluster().name();
      boolean reresolves = ClusterTree.reresolves(source.cluster().source());
      return new LbConfig.Child(name, name, config, reresolves);
    }
  }
}
