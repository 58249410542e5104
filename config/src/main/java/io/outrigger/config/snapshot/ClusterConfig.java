package io.outrigger.config.snapshot;

import io.outrigger.base.Outcome;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.endpoint.EndpointSet;
import java.util.List;

/** A cluster with everything it needs to be balanced (A74). */
public sealed interface ClusterConfig {
  ClusterResource cluster();

  /** What every failure of a pick in this cluster says besides its own reason (A88). */
  String resolutionNote();

  /**
   * A cluster with endpoints of its own.
   *
   * @param endpoints why there are none, when nothing usable was discovered (A74-04)
   */
  record Leaf(ClusterResource cluster, Outcome<EndpointSet> endpoints, String resolutionNote)
      implements ClusterConfig {}

  /**
   * An aggregate cluster.
   *
   * @param leaves names of leaf clusters, flattened, each once, in order of preference; each is in
   *     {@link XdsConfig#clusters}. Never empty: an aggregate without leaves is a failed cluster
   */
  record Aggregate(ClusterResource cluster, List<String> leaves, String resolutionNote)
      implements ClusterConfig {
    public Aggregate {
      leaves = List.copyOf(leaves);
    }
  }
}
