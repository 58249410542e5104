package io.outrigger.xds.transport;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.controlplane.cache.v3.SimpleCache;
import io.envoyproxy.controlplane.cache.v3.Snapshot;
import io.envoyproxy.controlplane.server.V3DiscoveryServer;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.decode.Decoded;
import io.outrigger.xds.stream.ResponseDecoder;
import io.outrigger.xds.testing.RecordingWatcher;
import io.outrigger.xds.testing.TextResources;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The ADS client against the java-control-plane server, which keeps its own idea of nonces. */
final class JavaControlPlaneTest {
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
            new ProtoNames());
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
            Arrays.stream(clusters)
                .map(name -> Cluster.newBuilder().setName(name).setAltStatName(version).build())
                .toList(),
            Arrays.stream(clusters)
                .map(name -> ClusterLoadAssignment.newBuilder().setClusterName(name).build())
                .toList(),
            List.of(Listener.newBuilder().setName("a").setStatPrefix(version).build()),
            List.of(RouteConfiguration.newBuilder().setName("r").build()),
            List.of(),
            version));
  }

  /** Real resources by name, with the version that {@code serve} hid in them. */
  private static final class ProtoNames implements ResponseDecoder {
    private final TextResources texts = new TextResources();

    @Override
    public <T> Decoded<T> decode(ResourceType<T> type, List<Any> resources, DecodeContext context) {
      return texts.decode(
          type, resources.stream().map(resource -> text(type, resource)).toList(), context);
    }

    private static Any text(ResourceType<?> type, Any resource) {
      try {
        return switch (type.label()) {
          case "lds" -> {
            var listener = resource.unpack(Listener.class);
            yield named(type, listener.getName(), "@" + listener.getStatPrefix());
          }
          case "rds" -> named(type, resource.unpack(RouteConfiguration.class).getName(), "");
          case "cds" -> {
            var cluster = resource.unpack(Cluster.class);
            yield named(type, cluster.getName(), "@" + cluster.getAltStatName());
          }
          default -> named(type, resource.unpack(ClusterLoadAssignment.class).getClusterName(), "");
        };
      } catch (InvalidProtocolBufferException e) {
        throw new AssertionError(e);
      }
    }

    private static Any named(ResourceType<?> type, String name, String suffix) {
      return TextResources.resource(type, name, name + suffix);
    }
  }
}
