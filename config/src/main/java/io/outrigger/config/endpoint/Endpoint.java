package io.outrigger.config.endpoint;

import java.util.List;
import java.util.Set;

/**
 * One backend: one or more addresses of one server (A61).
 *
 * @param addresses the addresses in order of preference, at least one
 * @param weight the weight, unsigned 32 bit, at least 1
 * @param hostname the host name for authority rewriting (A81); may be empty
 * @param hashKey the text that replaces the address in a hash ring (A76); may be empty
 */
public record Endpoint(
    List<EndpointAddress> addresses,
    HealthStatus health,
    long weight,
    String hostname,
    String hashKey) {
  public Endpoint {
    addresses = List.copyOf(addresses);
    if (addresses.isEmpty()) {
      throw new IllegalArgumentException("an endpoint without address");
    }
  }

  public Endpoint(
      List<EndpointAddress> addresses, HealthStatus health, long weight, String hostname) {
    this(addresses, health, weight, hostname, "");
  }

  /** Returns the first address, which identifies the endpoint in logs and status views. */
  public EndpointAddress address() {
    return addresses.get(0);
  }

  public Set<EndpointAddress> addressSet() {
    return addresses.size() == 1 ? Set.of(address()) : Set.copyOf(addresses); // copyOf hashes twice
  }
}
