package io.outrigger.config.listener;

import io.outrigger.config.tls.DownstreamTls;
import java.util.List;
import java.util.Optional;

/**
 * The settings of the connections that match a filter chain of a server (A36).
 *
 * @param name the name of the chain, unique within the listener; may be empty
 * @param filters the HTTP filters in order; the last filter is the router
 */
public record ServerFilterChain(
    String name,
    FilterChainMatch match,
    Optional<DownstreamTls> tls,
    RouteSource routes,
    List<HttpFilter> filters) {
  public ServerFilterChain {
    filters = List.copyOf(filters);
  }
}
