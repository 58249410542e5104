package io.outrigger.xds.transport;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import io.envoyproxy.controlplane.cache.v3.SimpleCache;
import io.envoyproxy.controlplane.cache.v3.Snapshot;
import io.envoyproxy.controlplane.server.V3DiscoveryServer;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.AggregatedConfigSource;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.listener.v3.ApiListener;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.Rds;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.ResourceDecoder;
import io.outrigger.xds.testing.RecordingWatcher;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The ADS client with the real decoders against the java-control-plane server. */
final class JavaControlPlaneTest {
  private static final ConfigSource ADS =
      ConfigSource.newBuilder().setAds(AggregatedConfigSource.getDefaultInstance()).build();

  private final SimpleCache<String> cache = new SimpleCache<>(node -> "all");
  private Server server;
  private GrpcFixture ads;

  @BeforeEach
  void start() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(new V3DiscoveryServer(cache).getAggregatedDiscoveryServiceImpl())
            .build()
            .start();
    ads =
        new GrpcFixture(
            "127.0.0.1:" + server.getPort(),
            new XdsServer.ChannelCredentials.Insecure(),
            ResourceDecoder::decode);
  }

  @AfterEach
  void stop() {
    ads.close();
    server.shutdownNow();
  }

  @Test
  @Conformance({"A57-26", "A57-29", "A57-30"})
  void everyTypeArrivesAndUpdatesFollowEachAck() {
    serve("1", "c");
    var listener = ads.watch(ResourceType.LISTENER, "a");
    var route = ads.watch(ResourceType.ROUTE, "r");
    var cluster = ads.watch(ResourceType.CLUSTER, "c");
    var endpoints = ads.watch(ResourceType.ENDPOINT, "c");

    assertThat(listener.await()).isEqualTo("ok: a@1");
    assertThat(route.await()).isEqualTo("ok: r");
    assertThat(cluster.await()).isEqualTo("ok: c@1");
    assertThat(endpoints.await()).isEqualTo("ok: c");

    for (String version : List.of("2", "3", "4")) {
      serve(version, "c");
      assertThat(listener.await()).isEqualTo("ok: a@" + version);
      assertThat(cluster.await()).isEqualTo("ok: c@" + version);
    }
    assertThat(route.isEmpty()).as("unchanged").isTrue();
    assertThat(ads.status().servers().get(0).nacks()).isZero();
  }

  @Test
  @Conformance("A57-30")
  void aNameAddedLaterArrives() {
    serve("1", "c", "d");
    var first = ads.watch(ResourceType.CLUSTER, "c");
    assertThat(first.await()).isEqualTo("ok: c@1");

    var second = ads.watch(ResourceType.CLUSTER, "d");

    assertThat(second.await()).isEqualTo("ok: d@1");
    assertThat(first.isEmpty()).as("not told again").isTrue();
  }

  @Test
  @Conformance("A57-42")
  void theLastNameClosedAndWatchedAgainArrives() {
    serve("1", "c");
    var first = ads.watch(ResourceType.CLUSTER, "c");
    assertThat(first.await()).isEqualTo("ok: c@1");
    var extra =
        ads.call(() -> ads.client.watch(ResourceType.ENDPOINT, "c", new RecordingWatcher<>()));
    var unused =
        ads.call(
            () -> {
              extra.close();
              return true;
            });

    var again = ads.watch(ResourceType.ENDPOINT, "c");

    assertThat(again.await()).isEqualTo("ok: c");
  }

  private void serve(String version, String... clusters) {
    cache.setSnapshot(
        "all",
        Snapshot.create(
            Arrays.stream(clusters).map(name -> cluster(name, version)).toList(),
            Arrays.stream(clusters)
                .map(name -> ClusterLoadAssignment.newBuilder().setClusterName(name).build())
                .toList(),
            List.of(listener("a", version)),
            List.of(RouteConfiguration.newBuilder().setName("r").build()),
            List.of(),
            version));
  }

  /** Told as {@code name@version}, which is the name of its routes. */
  private static Listener listener(String name, String version) {
    var manager =
        HttpConnectionManager.newBuilder()
            .setRds(Rds.newBuilder().setRouteConfigName(name + "@" + version).setConfigSource(ADS))
            .addHttpFilters(
                HttpFilter.newBuilder()
                    .setName("router")
                    .setTypedConfig(Any.pack(Router.getDefaultInstance())))
            .build();
    return Listener.newBuilder()
        .setName(name)
        .setApiListener(ApiListener.newBuilder().setApiListener(Any.pack(manager)))
        .build();
  }

  /** Told as {@code name@version}, which is the name of its endpoints. */
  private static Cluster cluster(String name, String version) {
    return Cluster.newBuilder()
        .setName(name)
        .setType(Cluster.DiscoveryType.EDS)
        .setEdsClusterConfig(
            Cluster.EdsClusterConfig.newBuilder()
                .setServiceName(name + "@" + version)
                .setEdsConfig(ADS))
        .build();
  }
}
