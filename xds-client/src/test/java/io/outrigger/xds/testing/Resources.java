package io.outrigger.xds.testing;

import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.listener.RouteSource;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.RouteTimeout;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.route.VirtualHost;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Resources in few words, with defaults for everything that a test does not care about. */
public final class Resources {
  private Resources() {}

  /** A listener whose routes are the RouteConfiguration {@code routes}. */
  public static ApiListener listener(String name, String routes) {
    return listener(name, new RouteSource.Rds(routes));
  }

  /** A listener with its routes inside. */
  public static ApiListener listener(String name, RouteTable routes) {
    return listener(name, new RouteSource.Inline(routes));
  }

  private static ApiListener listener(String name, RouteSource routes) {
    return new ApiListener(
        name,
        routes,
        List.of(new HttpFilter("router", new FilterConfig.Router())),
        Optional.empty());
  }

  /** Routes for every authority: {@code /CLUSTER/} goes to each named cluster. */
  public static RouteTable routes(String name, String... clusters) {
    return routesFor(name, "*", clusters);
  }

  /** The same for one domain. */
  public static RouteTable routesFor(String name, String domain, String... clusters) {
    List<Route> routes = new ArrayList<>();
    for (String cluster : clusters) {
      routes.add(route(routes.size(), "/" + cluster + "/", new ClusterChoice.Single(cluster)));
    }
    return new RouteTable(
        name, List.of(new VirtualHost("host", List.of(domain), routes, Map.of())));
  }

  /** Routes for every authority to these clusters by equal weight. */
  public static RouteTable weightedRoutes(String name, String... clusters) {
    var choice =
        new ClusterChoice.Weighted(
            Stream.of(clusters)
                .map(cluster -> new ClusterChoice.WeightedCluster(cluster, 1, Map.of()))
                .toList());
    return new RouteTable(
        name,
        List.of(new VirtualHost("host", List.of("*"), List.of(route(0, "/", choice)), Map.of())));
  }

  private static Route route(int index, String prefix, ClusterChoice clusters) {
    return new Route(
        "",
        index,
        new RouteMatch(new StringMatcher.Prefix(prefix, false), List.of(), Optional.empty()),
        new RouteAction.Forward(clusters, RouteTimeout.UNSET),
        Map.of());
  }

  /** An EDS cluster with a service of the same name. */
  public static ClusterResource eds(String name) {
    return eds(name, name);
  }

  public static ClusterResource eds(String name, String service) {
    return cluster(name, new ClusterSource.Eds(service));
  }

  public static ClusterResource dns(String name, String host, int port) {
    return cluster(name, new ClusterSource.Dns(host, port, true));
  }

  public static ClusterResource aggregate(String name, String... clusters) {
    return cluster(name, new ClusterSource.Aggregate(List.of(clusters)));
  }

  private static ClusterResource cluster(String name, ClusterSource source) {
    return new ClusterResource(
        name,
        source,
        ClusterResource.DEFAULT_POLICY,
        ClusterResource.Limits.DEFAULT,
        Optional.empty(),
        new ClusterResource.Sessions(
            ClusterResource.DEFAULT_IDLE_TIMEOUT,
            Set.of(HealthStatus.UNKNOWN, HealthStatus.HEALTHY)));
  }

  /** One locality in one priority with an endpoint at port 80 of each IP; none without IPs. */
  public static EndpointSet endpoints(String service, String... ips) {
    if (ips.length == 0) {
      return new EndpointSet(service, List.of(), List.of());
    }
    List<Endpoint> all =
        Stream.of(ips)
            .map(
                ip ->
                    new Endpoint(List.of(new EndpointAddress(ip, 80)), HealthStatus.HEALTHY, 1, ""))
            .toList();
    var locality = new LocalityEndpoints(new Locality("r", "z", "s"), 1, all);
    return new EndpointSet(service, List.of(List.of(locality)), List.of());
  }
}
