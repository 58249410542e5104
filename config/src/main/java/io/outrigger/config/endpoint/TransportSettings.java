package io.outrigger.config.endpoint;

import io.outrigger.config.tls.EndpointTls;
import io.outrigger.config.tls.UpstreamTls;
import java.util.List;
import java.util.Optional;

/**
 * A cluster's settings for connections to its endpoints.
 *
 * @param httpConnect whether connections use the HTTP proxies in the endpoints' metadata (A86)
 * @param tls the TLS settings (A29); empty for plain text
 */
public record TransportSettings(boolean httpConnect, Optional<UpstreamTls> tls) {
  public static final TransportSettings PLAIN = new TransportSettings(false, Optional.empty());

  public Endpoint applyTo(Endpoint endpoint) {
    if (tls.isEmpty() && (httpConnect || isDirect(endpoint))) {
      return endpoint; // the addresses already have these settings
    }
    Optional<EndpointTls> secured =
        tls.map(settings -> new EndpointTls(settings, settings.serverName(endpoint.hostname())));
    List<EndpointAddress> addresses =
        endpoint.addresses().stream().map(address -> with(address, secured)).toList();
    return new Endpoint(
        addresses, endpoint.health(), endpoint.weight(), endpoint.hostname(), endpoint.hashKey());
  }

  private EndpointAddress with(EndpointAddress address, Optional<EndpointTls> secured) {
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
