package io.outrigger.config.cluster;

import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.HealthStatus;
import java.util.List;

/** The source of a cluster's endpoints. */
public sealed interface ClusterSource {
  /**
   * Endpoints from an EDS resource.
   *
   * @param resourceName the EDS service name, or the cluster's name if {@code serviceName} is empty
   * @param serviceName the EDS service name in load reports and for circuit breakers (A27, A32);
   *     may be empty
   */
  record Eds(String resourceName, String serviceName) implements ClusterSource {
    public Eds(String serviceName) {
      this(serviceName, serviceName);
    }
  }

  /**
   * Endpoints from a DNS name or an IP literal, with one port for all addresses.
   *
   * @param isOneEndpoint whether all addresses form one endpoint, as in a LOGICAL_DNS cluster (A37)
   */
  record Dns(String hostname, int port, boolean isOneEndpoint) implements ClusterSource {
    public List<Endpoint> endpoints(List<EndpointAddress> addresses) {
      return isOneEndpoint
          ? List.of(endpoint(addresses))
          : addresses.stream().map(address -> endpoint(List.of(address))).toList();
    }

    /** Creates an endpoint whose host name is the DNS name with the port (A81). */
    private Endpoint endpoint(List<EndpointAddress> addresses) {
      return new Endpoint(addresses, HealthStatus.UNKNOWN, 1, toString());
    }

    /** Returns the DNS name or IP literal with the port, in the form of an authority. */
    @Override
    public String toString() {
      return hostname.indexOf(':') >= 0 ? "[" + hostname + "]:" + port : hostname + ":" + port;
    }
  }

  /** The endpoints of other leaf or aggregate clusters, in order of preference (A37, A75). */
  record Aggregate(List<String> clusters) implements ClusterSource {
    public Aggregate {
      clusters = List.copyOf(clusters);
    }
  }
}
