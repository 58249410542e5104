package io.outrigger.config.route;

import java.util.List;
import java.util.Map;

/** The routes of a set of domains. */
public record VirtualHost(
    String name,
    List<String> domains,
    List<Route> routes,
    Map<String, FilterConfig> filterOverrides) {
  public VirtualHost {
    domains = List.copyOf(domains);
    routes = List.copyOf(routes);
    filterOverrides = Map.copyOf(filterOverrides);
  }
}
