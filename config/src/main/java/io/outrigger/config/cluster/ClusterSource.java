package io.outrigger.config.cluster;

import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.HealthStatus;
import java.util.List;

/** Where a cluster's endpoints come from. */
public sealed interface ClusterSource {
  /**
   * An EDS resource.
   *
   * @param resourceName the service name, else the name of the cluster
   * @param serviceName as the cluster names it; empty when it does not. Load reports and breakers
   *     have this name (A27, A32)
   */
  record Eds(String resourceName, String serviceName) implements ClusterSource {
    /** Of a cluster that names its service. */
    public Eds(String serviceName) {
      this(serviceName, serviceName);
    }
  }

  /** A name of DNS, or an IP literal, and the port of all its addresses. */
  sealed interface Dns extends ClusterSource {
    String hostname();

    int port();

    /**
     * The endpoints that the name stands for.
     *
     * @param addresses at least one, as the name was resolved
     */
    List<Endpoint> endpoints(List<EndpointAddress> addresses);

    /** {@code host:port} or {@code [ip6]:port}. */
    default String authority() {
      return hostname().indexOf(':') >= 0
          ? "[" + hostname() + "]:" + port()
          : hostname() + ":" + port();
    }

    /** One of the endpoints; its host name is the name resolved, with the port (A81). */
    default Endpoint endpoint(List<EndpointAddress> addresses) {
      return new Endpoint(addresses, HealthStatus.UNKNOWN, 1, authority());
    }
  }

  /** One DNS name, all addresses of which are one endpoint (A37). */
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

  /** One DNS name, each address of which is an endpoint: what a {@code dns:///} target is. */
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

  /** Other clusters in order of preference, possibly aggregates themselves (A37, A75). */
  record Aggregate(List<String> clusters) implements ClusterSource {
    public Aggregate {
      clusters = List.copyOf(clusters);
    }
  }
}
