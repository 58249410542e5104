package io.outrigger.config.snapshot;

import io.outrigger.base.Outcome;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.VirtualHost;
import java.util.Map;

/**
 * One complete, consistent configuration of a target (A74).
 *
 * @param virtualHost the virtual host that best matches the target's data-plane authority
 * @param clusters the clusters of routes and of requests in progress, with the leaves of aggregate
 *     clusters. A call to a missing cluster fails with NOT_FOUND; a call to any other failed
 *     cluster fails with UNAVAILABLE
 */
public record XdsConfig(
    ApiListener listener,
    RouteTable routes,
    VirtualHost virtualHost,
    Map<String, Outcome<ClusterConfig>> clusters) {
  public XdsConfig {
    clusters = Map.copyOf(clusters);
  }
}
