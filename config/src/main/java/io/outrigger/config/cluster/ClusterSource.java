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
   * @param resourceName the service name, or the cluster's name when there is no service name
   * @param serviceName the EDS service name of the cluster; empty when not given. Load reports and
   *     circuit breakers use this name (A27, A32)
   */
  record Eds(String resourceName, String serviceName) implements ClusterSource {
    public Eds(String serviceName) {
      this(serviceName, serviceName);
    }
  }

  /** Endpoints from a DNS name or an IP literal, with one port for all addresses. */
  sealed interface Dns extends ClusterSource {
    String hostname();

    int port();

    /**
     * Returns the endpoints of the name.
     *
     * @param addresses the addresses of the name, at least one
     */
    List<Endpoint> endpoints(List<EndpointAddress> addresses);

    default String authority() {
      return hostname().indexOf(':') >= 0
          ? "[" + hostname() + "]:" + port()
          : hostname() + ":" + port();
    }

    /** Creates an endpoint whose host name is the DNS name with the port (A81). */
    default Endpoint endpoint(List<EndpointAddress> addresses) {
      return new Endpoint(addresses, HealthStatus.UNKNOWN, 1, authority());
    }
  }

  /** A DNS name whose addresses form one endpoint (A37). */
  record LogicalDns(String hostname, int port) implements Dns {
    @Override
    public List<Endpoint> endpoints(List<EndpointAddress> addresses) {
      return List.of(endpoint(addresses));
    }

    @Override
    public String toString() {
      return authority();
    }
  }

  /** A DNS name whose addresses each form an endpoint, as for a {@code dns:///} target. */
  record StrictDns(String hostname, int port) implements Dns {
    @Override
    public List<Endpoint> endpoints(List<EndpointAddress> addresses) {
      return addresses.stream().map(address -> endpoint(List.of(address))).toList();
    }

    @Override
    public String toString() {
      return authority();
    }
  }

  /**
   * The endpoints of other clusters in order of preference; these may be aggregates as well (A37,
   * A75).
   */
  record Aggregate(List<String> clusters) implements ClusterSource {
    public Aggregate {
      clusters = List.copyOf(clusters);
    }
  }
}
