package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.protobuf.ByteString;
import io.envoyproxy.envoy.config.route.v3.ClusterSpecifierPlugin;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.RetryPolicy;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.VirtualHost;
import io.outrigger.xds.overlay.Overlay.RouteRule;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Decodes {@code RouteConfiguration}, as a resource or inside a listener (A27, A28, A31). */
final class RouteDecoder {
  /**
   * The inputs of decoding that all routes of a route table share.
   *
   * @param overridden whether the route table overrides the configuration of any HTTP filter (A39)
   * @param plugins the names of the cluster specifier plugins; no plugin is supported
   */
  record Scope(
      DecodeContext context, boolean overridden, Set<String> plugins, List<RouteRule> rules) {}

  /** Limits clusters to one per 16 KiB of heap: each takes 9 KiB, and updates need some more. */
  private static final long MAX_CLUSTERS = Runtime.getRuntime().maxMemory() / (16 << 10);

  private RouteDecoder() {}

  static Optional<RouteTable> decode(
      RouteConfiguration proto, ByteString bytes, DecodeContext context, FieldErrors errors) {
    return OverlayDecoder.routes(proto, RouteMaps.haveOverrides(bytes), context, errors);
  }

  static Optional<RouteTable> decode(
      RouteConfiguration proto,
      boolean overridden,
      List<RouteRule> rules,
      DecodeContext context,
      FieldErrors errors) {
    var scope = new Scope(context, overridden, plugins(proto, errors), rules);
    var hosts = new ArrayList<VirtualHost>();
    for (int i = 0; i < proto.getVirtualHostsCount(); i++) {
      hosts.add(virtualHost(proto.getVirtualHosts(i), scope, errors.at("virtual_hosts", i)));
    }
    return Optional.of(new RouteTable(proto.getName(), hosts));
  }

  /**
   * Returns the names of the cluster specifier plugins. An unsupported cluster specifier plugin
   * must be marked optional, even if no route uses it (A28-13).
   */
  private static Set<String> plugins(RouteConfiguration proto, FieldErrors errors) {
    var names = new HashSet<String>();
    for (int i = 0; i < proto.getClusterSpecifierPluginsCount(); i++) {
      ClusterSpecifierPlugin plugin = proto.getClusterSpecifierPlugins(i);
      names.add(plugin.getExtension().getName());
      if (!plugin.getIsOptional()) {
        String type = TypedConfig.typeName(plugin.getExtension().getTypedConfig().getTypeUrl());
        errors
            .at("cluster_specifier_plugins", i)
            .at("extension")
            .at("typed_config")
            .add(quoted(type) + " is not supported as a cluster specifier");
      }
    }
    return names;
  }

  private static VirtualHost virtualHost(
      io.envoyproxy.envoy.config.route.v3.VirtualHost proto, Scope scope, FieldErrors errors) {
    Optional<RetryPolicy> retry =
        proto.hasRetryPolicy()
            ? RetryPolicyDecoder.decode(proto.getRetryPolicy(), errors.at("retry_policy"))
            : Optional.empty();
    var routes = new ArrayList<Route>();
    for (int i = 0; i < proto.getRoutesCount(); i++) {
      route(proto.getRoutes(i), i, retry, scope, errors.at("routes", i)).ifPresent(routes::add);
    }
    Map<String, FilterConfig> overrides =
        scope.overridden()
            ? HttpFilterDecoder.overrides(proto.getTypedPerFilterConfigMap(), errors)
            : Map.of();
    var host = new VirtualHost(proto.getName(), proto.getDomainsList(), routes, overrides);
    if (host.clusters().size() > MAX_CLUSTERS) {
      errors.add(
          "names more than %d clusters, which do not fit into the heap; raise the memory limit"
              .formatted(MAX_CLUSTERS));
    }
    return host;
  }

  private static Optional<Route> route(
      io.envoyproxy.envoy.config.route.v3.Route proto,
      int index,
      Optional<RetryPolicy> hostRetry,
      Scope scope,
      FieldErrors errors) {
    if (!proto.hasMatch()) {
      return errors.at("match").refuse("is missing; give a path, such as prefix: /");
    }
    if (proto.getMatch().getQueryParametersCount() > 0) {
      errors.at("match").at("query_parameters").ignore("never match gRPC; the route is left out");
      return Optional.empty(); // A28-05
    }
    Optional<RouteMatch> match = MatcherDecoder.route(proto.getMatch(), errors.at("match"));
    Optional<RouteAction> action = action(proto, hostRetry, scope, errors);
    Map<String, FilterConfig> overrides =
        scope.overridden()
            ? HttpFilterDecoder.overrides(proto.getTypedPerFilterConfigMap(), errors)
            : Map.of();
    if (match.isEmpty() || action.isEmpty()) {
      return Optional.empty();
    }
    var own = new Route(proto.getName(), index, match.get(), action.get(), overrides);
    return Optional.of(
        scope.rules().isEmpty() ? own : OverlayDecoder.route(own, proto, hostRetry, scope));
  }

  private static Optional<RouteAction> action(
      io.envoyproxy.envoy.config.route.v3.Route proto,
      Optional<RetryPolicy> hostRetry,
      Scope scope,
      FieldErrors errors) {
    return switch (proto.getActionCase()) {
      case ROUTE ->
          RouteActionDecoder.decode(proto.getRoute(), hostRetry, scope, errors.at("route"));
      case NON_FORWARDING_ACTION -> Optional.of(new RouteAction.NonForwarding());
      // A route with an unknown action stays, so that its requests match no later route (A31-39).
      case ACTION_NOT_SET -> Optional.of(new RouteAction.Unsupported("unknown"));
      default ->
          Optional.of(new RouteAction.Unsupported(FieldErrors.fieldOf(proto.getActionCase())));
    };
  }
}
