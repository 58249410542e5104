package io.outrigger.config.snapshot;

import io.outrigger.base.Outcome;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.VirtualHost;
import java.util.Map;

/**
 * One complete, consistent configuration of a target (A74).
 *
 * @param virtualHost the virtual host of {@code routes} for the target's data-plane authority
 * @param clusters the clusters that routes or requests in progress name, and the leaves of these
 *     clusters. Calls of a missing cluster get the status NOT_FOUND, calls of other failed clusters
 *     UNAVAILABLE
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
