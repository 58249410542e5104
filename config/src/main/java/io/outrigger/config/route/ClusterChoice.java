package io.outrigger.config.route;

import java.util.List;
import java.util.Map;

/** The cluster of a route: one fixed cluster, or a random choice by weight (A28, A31). */
public sealed interface ClusterChoice {
  List<String> names();

  record Single(String cluster) implements ClusterChoice {
    @Override
    public List<String> names() {
      return List.of(cluster);
    }
  }

  /** A random choice by weight. The sum of the weights is an unsigned 32-bit number. */
  record Weighted(List<WeightedCluster> clusters) implements ClusterChoice {
    public Weighted {
      clusters = List.copyOf(clusters);
    }

    @Override
    public List<String> names() {
      return clusters.stream().map(WeightedCluster::cluster).toList();
    }
  }

  /**
   * One cluster of a weighted choice.
   *
   * @param weight the weight, unsigned 32 bit, at least 1
   * @param filterOverrides the settings that replace the listener's settings, by filter name (A39)
   */
  record WeightedCluster(String cluster, long weight, Map<String, FilterConfig> filterOverrides) {
    public WeightedCluster {
      filterOverrides = Map.copyOf(filterOverrides);
    }
  }
}
