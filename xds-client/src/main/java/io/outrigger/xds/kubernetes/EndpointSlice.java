package io.outrigger.xds.kubernetes;

import java.util.List;

/**
 * An EndpointSlice of {@code discovery.k8s.io/v1}: some endpoints of a service, all with the same
 * ports. Endpoints without an IP address and ports of protocols other than TCP are omitted.
 *
 * @param version the {@code resourceVersion}, from which a watch continues
 */
record EndpointSlice(
    String name, String service, String version, List<Port> ports, List<Endpoint> endpoints) {
  static final String SERVICE_LABEL = "kubernetes.io/service-name";

  /** A port of a slice; the name may be empty if the service has a single port. */
  record Port(String name, int number) {}

  /**
   * An endpoint. Ready endpoints are ordered first: in the host network, a terminating pod may have
   * the same address as its ready replacement, and the replacement must be used. IPv4 comes before
   * IPv6.
   *
   * @param pod a key that all addresses of one pod have in common
   * @param isReady whether the endpoint is ready; otherwise it terminates, but still serves
   * @param zone the endpoint's zone; empty if unknown
   * @param forZones the zones from which the endpoint should be called (topology aware routing)
   */
  record Endpoint(String pod, String ip, boolean isReady, String zone, List<String> forZones)
      implements Comparable<Endpoint> {
    Endpoint {
      forZones = List.copyOf(forZones);
    }

    @Override
    public int compareTo(Endpoint other) {
      if (isReady != other.isReady) {
        return isReady ? -1 : 1;
      }
      int family = Boolean.compare(ip.indexOf(':') >= 0, other.ip.indexOf(':') >= 0);
      return family == 0 ? ip.compareTo(other.ip) : family;
    }
  }

  EndpointSlice {
    ports = List.copyOf(ports);
    endpoints = endpoints.stream().sorted().toList(); // so that each update sorts less
  }
}
