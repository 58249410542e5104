package io.outrigger.config.route;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

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

  public Set<String> clusters() {
    Set<String> names = new LinkedHashSet<>();
    for (Route route : routes) {
      if (route.action() instanceof RouteAction.Forward forward) {
        names.addAll(forward.clusters().names());
      }
    }
    return names;
  }
}
