package io.outrigger.program.testing.mesh;

import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.listener.RouteSource;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.HostRewrite;
import io.outrigger.config.route.RetryPolicy;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.RouteTimeout;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.route.VirtualHost;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.ConfigSelectors;
import io.outrigger.lb.tree.ClusterHandle;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Selectors with one route for every path, to one cluster. */
public final class OneRoute {
  private OneRoute() {}

  /** A route without a limit of time. */
  public static RouteTimeout noLimit() {
    return new RouteTimeout(Optional.of(Duration.ZERO), Optional.empty(), Optional.empty());
  }

  /** A route with a limit of time. */
  public static RouteTimeout limit(Duration limit) {
    return new RouteTimeout(Optional.of(limit), Optional.empty(), Optional.empty());
  }

  /** A selector with one route. */
  public static ConfigSelector selector(ClusterHandle cluster, RouteTimeout timeout) {
    return selector(HttpFilters.ofProcess(), cluster, timeout, List.of(), Optional.empty());
  }

  /** The same behind filters, with a retry policy. */
  public static ConfigSelector selector(
      HttpFilters chains,
      ClusterHandle cluster,
      RouteTimeout timeout,
      List<HttpFilter> filters,
      Optional<RetryPolicy> retry) {
    var action =
        new RouteAction.Forward(
            new ClusterChoice.Single(cluster.name()), timeout, HostRewrite.NONE, List.of(), retry);
    return selector(chains, cluster, action, filters);
  }

  /** The same with an action of its own. */
  public static ConfigSelector selector(
      HttpFilters chains, ClusterHandle cluster, RouteAction action, List<HttpFilter> filters) {
    return selector(chains, cluster, "", 0, action, filters);
  }

  /** The same with a name and a place in its virtual host. */
  public static ConfigSelector selector(
      HttpFilters chains,
      ClusterHandle cluster,
      String name,
      int index,
      RouteAction action,
      List<HttpFilter> filters) {
    return selector(chains, Map.of(cluster.name(), cluster), name, index, action, filters);
  }

  /** The same with an action that may choose among several clusters. */
  public static ConfigSelector selector(
      HttpFilters chains,
      Map<String, ClusterHandle> clusters,
      String name,
      int index,
      RouteAction action,
      List<HttpFilter> filters) {
    var match = new RouteMatch(new StringMatcher.Prefix("/", false), List.of(), Optional.empty());
    var host =
        new VirtualHost(
            "vh", List.of("*"), List.of(new Route(name, index, match, action, Map.of())), Map.of());
    var table = new RouteTable("rc", List.of(host));
    var listener =
        new ApiListener("orders", new RouteSource.Inline(table), filters, Optional.empty());
    var config = new XdsConfig(listener, table, host, Map.of());
    return new ConfigSelectors("orders", chains, false).next(config, clusters);
  }
}
