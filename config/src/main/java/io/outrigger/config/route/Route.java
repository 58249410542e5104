package io.outrigger.config.route;

import java.util.Map;

/**
 * One route of a virtual host. Routes that a proxyless client must skip (query parameters, cluster
 * header) never get here.
 *
 * @param name may be empty
 * @param index its place in the virtual host as the control plane sent it, from 0
 * @param filterOverrides by filter name (A39)
 */
public record Route(
    String name,
    int index,
    RouteMatch match,
    RouteAction action,
    Map<String, FilterConfig> filterOverrides) {
  public Route {
    filterOverrides = Map.copyOf(filterOverrides);
  }
}
