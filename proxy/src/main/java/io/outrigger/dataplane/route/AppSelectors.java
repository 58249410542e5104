package io.outrigger.dataplane.route;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteTimeout;
import io.outrigger.config.route.VirtualHost;
import io.outrigger.dataplane.filter.FilterChain;
import io.outrigger.dataplane.filter.FilterStep;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.dataplane.filter.LocalReason;
import io.outrigger.lb.tree.ClusterHandle;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Creates the selectors of one filter chain of a served listener, one per virtual host (A36). Every
 * route leads to the app. Requests for a route without {@code non_forwarding_action} fail after the
 * HTTP filters have run (A36-15).
 *
 * @param app the cluster whose only endpoint is the app
 * @param requiresRbac whether a route refuses all requests unless it has an RBAC filter with action
 *     ALLOW, both before and after the route's overrides ({@code --serve-require-rbac})
 */
public record AppSelectors(
    ClusterHandle app, List<HttpFilter> filters, HttpFilters factories, boolean requiresRbac) {
  private static final EffectiveTimeout NO_LIMIT =
      new EffectiveTimeout(EffectiveTimeout.NONE, EffectiveTimeout.Source.NOTHING);

  /** An RBAC filter that refuses all requests, so that refusals are counted as RBAC denials. */
  private static final HttpFilter REQUIRED_RBAC =
      new HttpFilter(
          "--serve-require-rbac",
          new Rbac(Optional.of(new Rbac.Rules(Rbac.Action.ALLOW, List.of(), Rbac.Audit.NONE))));

  public AppSelectors {
    filters = List.copyOf(filters);
  }

  private boolean hasAllowList(List<Map<String, FilterConfig>> overrides) {
    return HttpFilters.rbac(filters, overrides)
        .anyMatch(rules -> rules.action() == Rbac.Action.ALLOW);
  }

  public ConfigSelector of(VirtualHost host) {
    return ConfigSelector.routing(
        "virtual host \"" + host.name() + "\"", host.routes(), route -> choice(route, host), true);
  }

  private RouteChoice choice(Route route, VirtualHost host) {
    var overrides = List.of(route.filterOverrides(), host.filterOverrides());
    FilterChain chain =
        requiresRbac && !(hasAllowList(List.of()) && hasAllowList(overrides))
            ? factories.chain(List.of(REQUIRED_RBAC), List.of())
            : factories.chain(filters, overrides);
    FilterChain whole =
        route.action() instanceof RouteAction.NonForwarding
            ? chain
            : chain.refusing(wrongAction(route));
    var toApp = new RouteAction.Forward(new ClusterChoice.Single(app.name()), RouteTimeout.UNSET);
    return RouteChoice.of(new RouteDecision.Forward(app, route, toApp, NO_LIMIT, whole, Map.of()));
  }

  private static FilterStep.Answer wrongAction(Route route) {
    return noRoute(
        "route \"" + route.label() + "\" has no non_forwarding_action, which a server needs");
  }

  /** Returns the answer to a request that cannot be routed to the app. */
  static FilterStep.Answer noRoute(String message) {
    return new FilterStep.Answer(
        RpcStatus.unavailable(message), LocalReason.NO_ROUTE, LocalReason.HTTP_UNAVAILABLE);
  }

  /** Returns the selector for requests whose authority matches no virtual host. */
  public static ConfigSelector withoutHost() {
    return ConfigSelector.rejecting(noRoute("no virtual host for the request's authority"), true);
  }
}
