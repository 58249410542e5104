package io.outrigger.dataplane.route;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.VirtualHost;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.dataplane.filter.FilterChain;
import io.outrigger.dataplane.filter.FilterStep;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.dataplane.filter.LocalReason;
import io.outrigger.lb.tree.ClusterHandle;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Creates the selectors of one target. An update of endpoints does not replace the selector. */
@ControlConfined
public final class ConfigSelectors {
  private final String authority;
  private final HttpFilters filters;
  private final boolean ignoreRouteTimeout;
  private @Nullable Built last;

  /** A selector and the configuration from which the selector was created. */
  private record Built(
      VirtualHost host,
      ApiListener listener,
      Map<String, ClusterHandle> handles,
      ConfigSelector selector) {
    boolean isFor(XdsConfig config, Map<String, ClusterHandle> current) {
      return host.equals(config.virtualHost())
          && listener.equals(config.listener())
          && handles.equals(current);
    }
  }

  /**
   * @param authority the target's data-plane authority, for messages
   * @param ignoreRouteTimeout see {@link EffectiveTimeout#of}
   */
  public ConfigSelectors(String authority, HttpFilters filters, boolean ignoreRouteTimeout) {
    this.authority = authority;
    this.filters = filters;
    this.ignoreRouteTimeout = ignoreRouteTimeout;
  }

  /**
   * Returns the previous selector if nothing that it depends on has changed; otherwise a new
   * selector for the given configuration.
   *
   * @param handles all clusters that the configuration's routes use, by name
   */
  public ConfigSelector next(XdsConfig config, Map<String, ClusterHandle> handles) {
    if (last != null && last.isFor(config, handles)) {
      return last.selector();
    }
    var selector =
        ConfigSelector.routing(
            "authority \"" + authority + "\"",
            config.virtualHost().routes(),
            new Preparation(config, handles, filters, ignoreRouteTimeout)::choice,
            false);
    last = new Built(config.virtualHost(), config.listener(), Map.copyOf(handles), selector);
    return selector;
  }

  /**
   * Returns the selector for a target without a usable configuration. The target's next selector is
   * always a new object, because a call whose cluster was retired waits for a new selector.
   */
  public ConfigSelector failing(RpcStatus status) {
    last = null;
    return ConfigSelector.failing(status, false);
  }

  /** Prepares the decisions of the routes of one configuration. */
  private record Preparation(
      XdsConfig config,
      Map<String, ClusterHandle> handles,
      HttpFilters filters,
      boolean ignoreRouteTimeout) {
    RouteChoice choice(Route route) {
      if (route.action() instanceof RouteAction.Unsupported unsupported) {
        return RouteChoice.of(unsupported(route, unsupported.kind()));
      }
      if (route.action() instanceof RouteAction.NonForwarding) {
        return RouteChoice.of(unsupported(route, "non_forwarding_action"));
      }
      var forward = (RouteAction.Forward) route.action();
      if (forward.clusters() instanceof ClusterChoice.Single single) {
        return RouteChoice.of(decision(route, forward, single.cluster(), Map.of(), Map.of()));
      }
      var weighted = ((ClusterChoice.Weighted) forward.clusters()).clusters();
      Map<String, ClusterHandle> clusters = new HashMap<>();
      for (ClusterChoice.WeightedCluster entry : weighted) {
        ClusterHandle handle = handles.get(entry.cluster());
        if (handle != null) {
          clusters.put(entry.cluster(), handle);
        }
      }
      return RouteChoice.of(
          weighted,
          entry -> decision(route, forward, entry.cluster(), clusters, entry.filterOverrides()));
    }

    private RouteDecision decision(
        Route route,
        RouteAction.Forward action,
        String cluster,
        Map<String, ClusterHandle> clusters,
        Map<String, FilterConfig> filterOverrides) {
      ClusterHandle handle = handles.get(cluster);
      if (handle == null) { // A31-11: a bug, as balancing is updated first
        return new RouteDecision.Reject(
            new FilterStep.Answer(
                RpcStatus.internal("cluster \"" + cluster + "\" is unknown to load balancing"),
                LocalReason.XDS_ERROR));
      }
      FilterChain chain =
          filters.chain(
              config.listener().filters(),
              List.of(
                  filterOverrides,
                  route.filterOverrides(),
                  config.virtualHost().filterOverrides()));
      return new RouteDecision.Forward(handle, route, action, limit(action), chain, clusters);
    }

    private EffectiveTimeout limit(RouteAction.Forward action) {
      return EffectiveTimeout.of(
          action.timeout(), config.listener().maxStreamDuration(), ignoreRouteTimeout);
    }

    private static RouteDecision unsupported(Route route, String kind) {
      String name = route.name().isEmpty() ? "#" + route.index() : "\"" + route.name() + "\"";
      return new RouteDecision.Reject(
          new FilterStep.Answer(
              RpcStatus.unavailable(
                  "route " + name + " has an action that is not supported: " + kind),
              LocalReason.NO_ROUTE));
    }
  }
}
