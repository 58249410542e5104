package io.outrigger.config.cluster;

import java.util.List;

/** Where a cluster's endpoints come from. */
public sealed interface ClusterSource {
  /** An EDS resource of that name. */
  record Eds(String serviceName) implements ClusterSource {}

  /** One DNS name, all addresses of which are one endpoint (A37). */
  record LogicalDns(String hostname, int port) implements ClusterSource {
    @Override
    public String toString() {
      return hostname + ":" + port;
    }
  }

  /** Other clusters in order of preference, possibly aggregates themselves (A37, A75). */
  record Aggregate(List<String> clusters) implements ClusterSource {
    public Aggregate {
      clusters = List.copyOf(clusters);
    }
  }
}
