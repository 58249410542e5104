package io.outrigger.xds.decode;

import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.outrigger.config.route.RetryPolicy;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteTable;
import io.outrigger.xds.overlay.Overlay;
import io.outrigger.xds.overlay.RouteRule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decodes {@code RouteConfiguration} and applies the overlay rules to its routes. The rules do not
 * decide whether the resource is valid. If a rule applies to some targets only, these targets get
 * their own route table.
 */
final class RouteOverlays {
  private RouteOverlays() {}

  static Optional<RouteTable> decode(
      RouteConfiguration proto, boolean overridden, DecodeContext context, FieldErrors errors) {
    Optional<RouteTable> own = RouteDecoder.decode(proto, overridden, List.of(), context, errors);
    Overlay overlay = context.overlay();
    if (own.isEmpty() || !errors.isEmpty() || !overlay.hasRouteRules()) {
      return own;
    }
    Map<List<RouteRule>, RouteTable> made = new HashMap<>();
    made.put(List.of(), own.get());
    RouteTable everywhere = over(proto, overridden, context, overlay.routeRules(), made);
    Map<String, RouteTable> byTarget = new HashMap<>();
    overlay
        .routeRulesByTarget()
        .forEach(
            (target, rules) -> {
              RouteTable here = over(proto, overridden, context, rules, made);
              if (!here.equals(everywhere)) {
                byTarget.put(target, here);
              }
            });
    return Optional.of(new RouteTable(everywhere.name(), everywhere.virtualHosts(), byTarget));
  }

  /**
   * Returns the route table after applying {@code rules}. Targets with the same rules share a
   * table.
   */
  private static RouteTable over(
      RouteConfiguration proto,
      boolean overridden,
      DecodeContext context,
      List<RouteRule> rules,
      Map<List<RouteRule>, RouteTable> made) {
    return made.computeIfAbsent(
        rules,
        under ->
            RouteDecoder.decode(proto, overridden, under, context, FieldErrors.ofResource())
                .orElseThrow());
  }

  static Route over(
      Route own,
      io.envoyproxy.envoy.config.route.v3.Route proto,
      Optional<RetryPolicy> hostRetry,
      RouteDecoder.Scope scope) {
    List<RouteRule> rules = scope.rules().stream().filter(rule -> rule.isFor(proto)).toList();
    if (rules.isEmpty() || !proto.hasRoute()) {
      return own;
    }
    var result =
        Layers.lay(
            proto.getRoute(),
            own.action(),
            rules,
            (message, errors) ->
                RouteActionDecoder.decode((RouteAction) message, hostRetry, scope, errors));
    return own.overlaid(result.value(), result.effect());
  }
}
