package io.outrigger.dataplane.route;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.dataplane.filter.FilterChain;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.lb.tree.ClusterHandle;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Prepares the {@link RouteChoice} of each route of one configuration. For the components, see
 * {@link ConfigSelector#of}.
 */
@AnyThread
record RouteChoices(
    XdsConfig config,
    Map<String, ClusterHandle> handles,
    HttpFilters filters,
    boolean ignoreRouteTimeout) {
  RouteChoice of(Route route) {
    if (route.action() instanceof RouteAction.Unsupported unsupported) {
      return new RouteChoice.Fixed(unsupported(route, unsupported.kind()));
    }
    if (route.action() instanceof RouteAction.NonForwarding) {
      return new RouteChoice.Fixed(unsupported(route, "non_forwarding_action"));
    }
    var forward = (RouteAction.Forward) route.action();
    if (forward.clusters() instanceof ClusterChoice.Single single) {
      return new RouteChoice.Fixed(decision(route, forward, single.cluster(), Map.of(), Map.of()));
    }
    var weighted = ((ClusterChoice.Weighted) forward.clusters()).clusters();
    Map<String, ClusterHandle> clusters = new HashMap<>();
    for (ClusterChoice.WeightedCluster entry : weighted) {
      ClusterHandle handle = handles.get(entry.cluster());
      if (handle != null) {
        clusters.put(entry.cluster(), handle);
      }
    }
    return RouteChoice.Weighted.of(
        weighted,
        entry -> decision(route, forward, entry.cluster(), clusters, entry.filterOverrides()));
  }

  private EffectiveTimeout limit(RouteAction.Forward action) {
    return EffectiveTimeout.of(
        action.timeout(), config.listener().maxStreamDuration(), ignoreRouteTimeout);
  }

  /** Returns the time limit that the route would have without local policy. */
  private EffectiveTimeout ownLimit(Route route, RouteAction.Forward action) {
    return route.overlay().isPresent()
            && route.overlay().get().own() instanceof RouteAction.Forward own
        ? limit(own)
        : limit(action);
  }

  private RouteDecision decision(
      Route route,
      RouteAction.Forward action,
      String cluster,
      Map<String, ClusterHandle> clusters,
      Map<String, FilterConfig> filterOverrides) {
    ClusterHandle handle = handles.get(cluster);
    if (handle == null) { // A31-11: a bug: balancing is updated first
      return new RouteDecision.Reject(
          RpcStatus.internal("cluster \"" + cluster + "\" is unknown to load balancing"),
          "xds_error");
    }
    FilterChain chain =
        filters.chain(
            config.listener().filters(),
            List.of(
                filterOverrides, route.filterOverrides(), config.virtualHost().filterOverrides()));
    return new RouteDecision.Forward(
        handle, route, action, limit(action), ownLimit(route, action), chain, clusters);
  }

  private static RouteDecision unsupported(Route route, String kind) {
    String name = route.name().isEmpty() ? "#" + route.index() : "\"" + route.name() + "\"";
    return new RouteDecision.Reject(
        RpcStatus.unavailable("route " + name + " has an action that is not supported: " + kind),
        "no_route");
  }
}
