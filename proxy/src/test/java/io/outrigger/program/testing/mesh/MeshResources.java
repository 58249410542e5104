package io.outrigger.program.testing.mesh;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.AggregatedConfigSource;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.config.core.v3.HealthStatus;
import io.envoyproxy.envoy.config.core.v3.Locality;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.Endpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.envoyproxy.envoy.config.listener.v3.ApiListener;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.extensions.filters.http.fault.v3.HTTPFault;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.Rds;
import java.util.List;

/** The plainest resources of each type, for tests that vary one of them. */
public final class MeshResources {
  /** The name of the route configuration that {@link #listener} refers to. */
  public static final String ROUTES = "routes";

  /** The name of the fault filter of {@link #listener}. */
  public static final String FAULT = "envoy.filters.http.fault";

  private MeshResources() {}

  /**
   * A listener that takes its routes from {@link #ROUTES}. Like those of common control planes it
   * has a fault filter that does nothing, for routes to override by the name {@link #FAULT}.
   */
  public static Listener listener(String name) {
    var manager =
        HttpConnectionManager.newBuilder()
            .setRds(Rds.newBuilder().setRouteConfigName(ROUTES).setConfigSource(ads()))
            .addHttpFilters(filter(FAULT, HTTPFault.getDefaultInstance()))
            .addHttpFilters(filter("envoy.filters.http.router", Router.getDefaultInstance()));
    return Listener.newBuilder()
        .setName(name)
        .setApiListener(ApiListener.newBuilder().setApiListener(Any.pack(manager.build())))
        .build();
  }

  private static HttpFilter filter(String name, Message config) {
    return HttpFilter.newBuilder().setName(name).setTypedConfig(Any.pack(config)).build();
  }

  /** The route configuration {@link #ROUTES}. */
  public static RouteConfiguration routes(List<VirtualHost> hosts) {
    return RouteConfiguration.newBuilder().setName(ROUTES).addAllVirtualHosts(hosts).build();
  }

  /** A virtual host of one domain. */
  public static VirtualHost host(String domain, List<Route> routes) {
    return VirtualHost.newBuilder().setName(domain).addDomains(domain).addAllRoutes(routes).build();
  }

  /** A route to a cluster. */
  public static Route route(RouteMatch.Builder match, String cluster) {
    return route(match, RouteAction.newBuilder().setCluster(cluster));
  }

  /** A route with any action. */
  public static Route route(RouteMatch.Builder match, RouteAction.Builder action) {
    return Route.newBuilder().setMatch(match).setRoute(action).build();
  }

  /** Matches every path that begins so. */
  public static RouteMatch.Builder prefix(String prefix) {
    return RouteMatch.newBuilder().setPrefix(prefix);
  }

  /** Matches one path. */
  public static RouteMatch.Builder path(String path) {
    return RouteMatch.newBuilder().setPath(path);
  }

  /** An EDS cluster over ADS. */
  public static Cluster cluster(String name) {
    return Cluster.newBuilder()
        .setName(name)
        .setType(Cluster.DiscoveryType.EDS)
        .setEdsClusterConfig(Cluster.EdsClusterConfig.newBuilder().setEdsConfig(ads()))
        .build();
  }

  /** The endpoints of a cluster. */
  public static ClusterLoadAssignment assignment(String cluster, LocalityLbEndpoints... all) {
    return ClusterLoadAssignment.newBuilder()
        .setClusterName(cluster)
        .addAllEndpoints(List.of(all))
        .build();
  }

  /** A locality of healthy endpoints on loopback ports. */
  public static LocalityLbEndpoints locality(String zone, int priority, int weight, int... ports) {
    var locality =
        LocalityLbEndpoints.newBuilder()
            .setLocality(Locality.newBuilder().setRegion("test").setZone(zone))
            .setLoadBalancingWeight(UInt32Value.of(weight))
            .setPriority(priority);
    for (int port : ports) {
      locality.addLbEndpoints(endpoint(port, HealthStatus.HEALTHY));
    }
    return locality.build();
  }

  /** An endpoint on a loopback port. */
  public static LbEndpoint endpoint(int port, HealthStatus health) {
    return LbEndpoint.newBuilder()
        .setHealthStatus(health)
        .setEndpoint(
            Endpoint.newBuilder()
                .setAddress(
                    Address.newBuilder()
                        .setSocketAddress(
                            SocketAddress.newBuilder().setAddress("127.0.0.1").setPortValue(port))))
        .build();
  }

  private static ConfigSource ads() {
    return ConfigSource.newBuilder().setAds(AggregatedConfigSource.getDefaultInstance()).build();
  }
}
