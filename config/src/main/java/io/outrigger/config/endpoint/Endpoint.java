package io.outrigger.config.endpoint;

import java.util.List;

/**
 * One backend: one or more addresses of the same server (A61).
 *
 * @param addresses at least one, in order of preference
 * @param weight unsigned 32 bit, at least 1
 * @param hostname for authority rewriting (A81); empty when not given
 * @param hashKey places the endpoint on a hash ring instead of its address (A76); empty when not
 *     given
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

  /** Without a hash key. */
  public Endpoint(
      List<EndpointAddress> addresses, HealthStatus health, long weight, String hostname) {
    this(addresses, health, weight, hostname, "");
  }

  /** The address by which people know the endpoint. */
  public EndpointAddress address() {
    return addresses.get(0);
  }
}
