package io.outrigger.program.app;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.AggregatedConfigSource;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.config.listener.v3.ApiListener;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.outrigger.program.testing.mesh.ControlSide;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Resources of a target whose route number i goes to cluster number i, which has endpoints by EDS.
 */
final class NumberedClusters {
  private NumberedClusters() {}

  static String cluster(int number) {
    return "cluster-" + number;
  }

  static Any listener() {
    var manager =
        HttpConnectionManager.newBuilder()
            .setRds(
                io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.Rds
                    .newBuilder()
                    .setRouteConfigName("routes")
                    .setConfigSource(ads()))
            .addHttpFilters(
                HttpFilter.newBuilder()
                    .setName("router")
                    .setTypedConfig(Any.pack(Router.getDefaultInstance())));
    return Any.pack(
        Listener.newBuilder()
            .setName(ControlSide.NAME)
            .setApiListener(ApiListener.newBuilder().setApiListener(Any.pack(manager.build())))
            .build());
  }

  static Any routes(int clusters) {
    var host = VirtualHost.newBuilder().setName("all").addDomains("*");
    for (int i = 0; i < clusters; i++) {
      host.addRoutes(
          Route.newBuilder()
              .setMatch(RouteMatch.newBuilder().setPath("/service/" + i))
              .setRoute(RouteAction.newBuilder().setCluster(cluster(i))));
    }
    return Any.pack(
        RouteConfiguration.newBuilder().setName("routes").addVirtualHosts(host).build());
  }

  static List<Any> clusters(int clusters) {
    return IntStream.range(0, clusters)
        .mapToObj(
            i ->
                Any.pack(
                    Cluster.newBuilder()
                        .setName(cluster(i))
                        .setType(Cluster.DiscoveryType.EDS)
                        .setEdsClusterConfig(
                            Cluster.EdsClusterConfig.newBuilder().setEdsConfig(ads()))
                        .build()))
        .toList();
  }

  private static ConfigSource ads() {
    return ConfigSource.newBuilder().setAds(AggregatedConfigSource.getDefaultInstance()).build();
  }
}
