package io.outrigger.config.snapshot;

import io.outrigger.base.Outcome;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.endpoint.EndpointSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A cluster with all the data that load balancing needs (A74). */
public sealed interface ClusterConfig {
  ClusterResource cluster();

  /** Returns the text that is added to the message of every failed pick in this cluster (A88). */
  String resolutionNote();

  /** A cluster that is no aggregate, with its endpoints or the reason why it has none (A74-04). */
  record Leaf(ClusterResource cluster, Outcome<EndpointSet> endpoints, String resolutionNote)
      implements ClusterConfig {
    /** Replaces the generated method, whose first call delays the start by milliseconds. */
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Leaf that
          && Objects.equals(cluster, that.cluster)
          && endpoints.equals(that.endpoints)
          && resolutionNote.equals(that.resolutionNote);
    }

    @Override
    public int hashCode() {
      return (cluster.hashCode() * 31 + endpoints.hashCode()) * 31 + resolutionNote.hashCode();
    }
  }

  /**
   * An aggregate cluster.
   *
   * @param leaves the names of the leaf clusters, at least one, without duplicates, in order of
   *     preference; {@link XdsConfig#clusters} contains each leaf
   */
  record Aggregate(ClusterResource cluster, List<String> leaves, String resolutionNote)
      implements ClusterConfig {
    public Aggregate {
      leaves = List.copyOf(leaves);
    }
  }
}
