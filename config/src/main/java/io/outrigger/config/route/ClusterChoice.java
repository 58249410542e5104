package io.outrigger.config.route;

import java.util.List;
import java.util.Map;

/** Which cluster a route names: one, or one by weight (A28, A31). */
public sealed interface ClusterChoice {
  /** Always {@code cluster}. */
  record Single(String cluster) implements ClusterChoice {}

  /** One of {@code clusters} by weight; the sum fits 32 bits unsigned. */
  record Weighted(List<WeightedCluster> clusters) implements ClusterChoice {
    public Weighted {
      clusters = List.copyOf(clusters);
    }
  }

  /**
   * One entry of a weighted choice.
   *
   * @param weight unsigned 32 bit, at least 1
   * @param filterOverrides by filter name (A39)
   */
  record WeightedCluster(String cluster, long weight, Map<String, FilterConfig> filterOverrides) {
    public WeightedCluster {
      filterOverrides = Map.copyOf(filterOverrides);
    }
  }
}
