package io.outrigger.program.demo;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.protobuf.UInt32Value;
import io.envoyproxy.controlplane.cache.v3.SimpleCache;
import io.envoyproxy.controlplane.cache.v3.Snapshot;
import io.envoyproxy.controlplane.server.V3DiscoveryServer;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.AggregatedConfigSource;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.config.core.v3.HealthStatus;
import io.envoyproxy.envoy.config.core.v3.Locality;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.core.v3.TypedExtensionConfig;
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
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.http.stateful_session.v3.StatefulSession;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.Rds;
import io.envoyproxy.envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.envoyproxy.envoy.type.http.v3.Cookie;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.outrigger.base.AnyThread;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/** A real ADS control plane on a loopback port that serves one target, {@code xds:///greeter}. */
@AnyThread
final class DemoControlPlane implements AutoCloseable {
  static final String TARGET = "greeter";
  private static final String GROUP = "demo";
  private static final String ROUTES = "greeter-routes";
  private static final String CLUSTER = "greeters";
  private static final int ROUTE_TIMEOUT_SECONDS = 30;

  private final SimpleCache<String> cache = new SimpleCache<>(node -> GROUP);
  private final Server server;
  private int version;

  DemoControlPlane() throws IOException {
    var discovery = new V3DiscoveryServer(cache);
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(discovery.getAggregatedDiscoveryServiceImpl())
            .build()
            .start();
  }

  int port() {
    return server.getPort();
  }

  /**
   * Serves the mesh. Must always be called on the same thread.
   *
   * @param priorities one list of backends per priority, highest first
   */
  void serve(List<List<DemoBackend>> priorities) {
    version++;
    cache.setSnapshot(
        GROUP,
        Snapshot.create(
            List.of(cluster()),
            List.of(assignment(priorities)),
            List.of(listener()),
            List.of(routes()),
            List.of(),
            Integer.toString(version)));
  }

  @Override
  public void close() {
    server.shutdownNow();
  }

  private static Listener listener() {
    var manager =
        HttpConnectionManager.newBuilder()
            .setRds(Rds.newBuilder().setRouteConfigName(ROUTES).setConfigSource(ads()))
            .addHttpFilters(
                HttpFilter.newBuilder()
                    .setName("envoy.filters.http.stateful_session")
                    .setTypedConfig(Any.pack(sessions())))
            .addHttpFilters(
                HttpFilter.newBuilder()
                    .setName("envoy.filters.http.router")
                    .setTypedConfig(Any.pack(Router.getDefaultInstance())))
            .build();
    return Listener.newBuilder()
        .setName(TARGET)
        .setApiListener(ApiListener.newBuilder().setApiListener(Any.pack(manager)))
        .build();
  }

  private static StatefulSession sessions() {
    var state =
        CookieBasedSessionState.newBuilder()
            .setCookie(Cookie.newBuilder().setName("greeter-session"))
            .build();
    return StatefulSession.newBuilder()
        .setSessionState(
            TypedExtensionConfig.newBuilder()
                .setName("envoy.http.stateful_session.cookie")
                .setTypedConfig(Any.pack(state)))
        .build();
  }

  private static RouteConfiguration routes() {
    var toGreeters =
        RouteAction.newBuilder()
            .setCluster(CLUSTER)
            .setTimeout(Duration.newBuilder().setSeconds(ROUTE_TIMEOUT_SECONDS));
    return RouteConfiguration.newBuilder()
        .setName(ROUTES)
        .addVirtualHosts(
            VirtualHost.newBuilder()
                .setName("greeter")
                .addDomains(TARGET)
                .addRoutes(
                    Route.newBuilder()
                        .setName("all")
                        .setMatch(RouteMatch.newBuilder().setPrefix("/"))
                        .setRoute(toGreeters)))
        .build();
  }

  /**
   * Returns the cluster, with the HTTP/2 option that control planes send for other kinds of
   * clients.
   */
  private static Cluster cluster() {
    var http2 = HttpProtocolOptions.newBuilder();
    http2.getExplicitHttpConfigBuilder().getHttp2ProtocolOptionsBuilder();
    return Cluster.newBuilder()
        .putTypedExtensionProtocolOptions(
            "envoy.extensions.upstreams.http.v3.HttpProtocolOptions", Any.pack(http2.build()))
        .setName(CLUSTER)
        .setType(Cluster.DiscoveryType.EDS)
        .setEdsClusterConfig(Cluster.EdsClusterConfig.newBuilder().setEdsConfig(ads()))
        .build();
  }

  private static ClusterLoadAssignment assignment(List<List<DemoBackend>> priorities) {
    var assignment = ClusterLoadAssignment.newBuilder().setClusterName(CLUSTER);
    for (int priority = 0; priority < priorities.size(); priority++) {
      var locality =
          LocalityLbEndpoints.newBuilder()
              .setLocality(
                  Locality.newBuilder()
                      .setRegion("demo")
                      .setZone("zone-" + (char) ('a' + priority)))
              .setLoadBalancingWeight(UInt32Value.of(1))
              .setPriority(priority);
      for (DemoBackend backend : priorities.get(priority)) {
        locality.addLbEndpoints(
            LbEndpoint.newBuilder()
                .setHealthStatus(HealthStatus.HEALTHY)
                .setEndpoint(
                    Endpoint.newBuilder()
                        .setAddress(
                            Address.newBuilder()
                                .setSocketAddress(
                                    SocketAddress.newBuilder()
                                        .setAddress("127.0.0.1")
                                        .setPortValue(backend.port())))));
      }
      assignment.addEndpoints(locality);
    }
    return assignment.build();
  }

  private static ConfigSource ads() {
    return ConfigSource.newBuilder().setAds(AggregatedConfigSource.getDefaultInstance()).build();
  }
}
