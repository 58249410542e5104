package io.outrigger.config.endpoint;

import java.util.List;

/**
 * One backend: one or more addresses of the same server (A61).
 *
 * @param addresses at least one, in order of preference
 * @param weight unsigned 32 bit, at least 1
 * @param hostname for authority rewriting (A81); empty when not given
 */
public record Endpoint(
    List<EndpointAddress> addresses, HealthStatus health, long weight, String hostname) {
  public Endpoint {
    addresses = List.copyOf(addresses);
    if (addresses.isEmpty()) {
      throw new IllegalArgumentException("an endpoint without address");
    }
  }

  /** The address by which people know the endpoint. */
  public EndpointAddress address() {
    return addresses.get(0);
  }
}
