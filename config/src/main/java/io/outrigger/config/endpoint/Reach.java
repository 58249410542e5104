package io.outrigger.config.endpoint;

import io.outrigger.config.tls.EndpointTls;
import io.outrigger.config.tls.UpstreamTls;
import java.util.List;
import java.util.Optional;

/**
 * What a cluster says of the way to its endpoints.
 *
 * @param httpConnect through the proxies that endpoints name (A86)
 * @param tls by TLS (A29); empty for plain text
 */
public record Reach(boolean httpConnect, Optional<UpstreamTls> tls) {
  /** Straight and in plain text. */
  public static final Reach PLAIN = new Reach(false, Optional.empty());

  /** {@code endpoint}, whose addresses say all that there is to say of the way there. */
  public Endpoint of(Endpoint endpoint) {
    if (tls.isEmpty() && (httpConnect || isDirect(endpoint))) {
      return endpoint; // as it was decoded
    }
    Optional<EndpointTls> secured =
        tls.map(settings -> new EndpointTls(settings, settings.serverName(endpoint.hostname())));
    List<EndpointAddress> addresses =
        endpoint.addresses().stream().map(address -> of(address, secured)).toList();
    return new Endpoint(
        addresses, endpoint.health(), endpoint.weight(), endpoint.hostname(), endpoint.hashKey());
  }

  private EndpointAddress of(EndpointAddress address, Optional<EndpointTls> secured) {
    return new EndpointAddress(
        address.ip(), address.port(), httpConnect ? address.proxy() : Optional.empty(), secured);
  }

  private static boolean isDirect(Endpoint endpoint) {
    for (EndpointAddress address : endpoint.addresses()) {
      if (address.proxy().isPresent()) {
        return false;
      }
    }
    return true;
  }
}
