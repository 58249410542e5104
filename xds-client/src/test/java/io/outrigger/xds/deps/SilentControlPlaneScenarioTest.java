package io.outrigger.xds.deps;

import static io.outrigger.xds.testing.JsonResources.aggregate;
import static io.outrigger.xds.testing.JsonResources.any;
import static io.outrigger.xds.testing.JsonResources.cluster;
import static io.outrigger.xds.testing.JsonResources.dynamicListener;
import static io.outrigger.xds.testing.JsonResources.endpoints;
import static io.outrigger.xds.testing.JsonResources.routes;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.ResourceDecoder;
import io.outrigger.xds.stream.AdsClients;
import io.outrigger.xds.stream.AdsObserver;
import io.outrigger.xds.testing.FakeAdsTransport;
import io.outrigger.xds.testing.FakeDnsLookup;
import io.outrigger.xds.testing.RecordingConfigs;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Real client, decoders, cache and graph; a control plane that leaves something out. */
class SilentControlPlaneScenarioTest {
  private final FakeControlLoop loop = new FakeControlLoop();
  private final FakeAdsTransport server = new FakeAdsTransport(loop);
  private final RecordingConfigs configs = new RecordingConfigs();
  private final List<Outcome<XdsConfig>> published = configs.published();

  @BeforeEach
  void start() {
    var bootstrap =
        new Bootstrap(
            List.of(
                new XdsServer(
                    "cp.test:443",
                    new XdsServer.ChannelCredentials.Insecure(),
                    List.of(),
                    ServerFeatures.NONE)),
            new Node("node-1", "", new Locality("", "", ""), Map.of()),
            Map.of(),
            Map.of(),
            "%s",
            Optional.empty());
    var client =
        new AdsClients(
            loop,
            Runnable::run,
            (bound, purpose) -> bound / 2,
            bootstrap,
            "1",
            ResourceDecoder::decode,
            of -> server,
            AdsObserver.NONE);
    var manager =
        new XdsDependencyManager(
            loop,
            client.of("t"),
            new FakeDnsLookup(loop),
            "orders",
            "orders",
            "node-1",
            configs,
            RandomSource.SYSTEM);
    loop.inside(manager::start);
  }

  private void respond(ResourceType<?> type, String... resources) {
    var anys = new Any[resources.length];
    for (int i = 0; i < resources.length; i++) {
      anys[i] = any(resources[i]);
    }
    server.stream().respond(type, "1", anys);
  }

  /** The listener and its routes to {@code cluster} are known. */
  private void routeTo(String cluster) {
    server.stream().ready();
    respond(ResourceType.LISTENER, dynamicListener("orders", "r1"));
    respond(ResourceType.ROUTE, routes("r1", cluster));
  }

  private Outcome<ClusterConfig> clusterOf(String name) {
    assertThat(published).hasSize(1);
    Outcome<ClusterConfig> found = published.get(0).toOptional().orElseThrow().clusters().get(name);
    if (found == null) {
      throw new AssertionError(name + " is not in " + published);
    }
    return found;
  }

  @Conformance("A57-14")
  @Test
  void clusterThatNeverComesFailsAfterFifteenSeconds() {
    routeTo("a");
    loop.advance(Duration.ofMillis(14_999));
    assertThat(published).isEmpty();

    loop.advance(Duration.ofMillis(1));

    RpcStatus status = clusterOf("a").status();
    assertThat(status.code()).isEqualTo(RpcStatus.Code.NOT_FOUND);
    assertThat(status.message())
        .startsWith("cluster \"a\" does not exist")
        .endsWith("xDS node ID: node-1");
  }

  @Conformance("A57-15")
  @Test
  void listenerThatNeverComesFailsTheTargetAfterFifteenSeconds() {
    server.stream().ready();
    loop.advance(Duration.ofMillis(14_999));
    assertThat(published).isEmpty();

    loop.advance(Duration.ofMillis(1));

    RpcStatus status = published.get(0).status();
    assertThat(status.code()).isEqualTo(RpcStatus.Code.UNAVAILABLE);
    assertThat(status.message())
        .startsWith("listener \"orders\" does not exist")
        .endsWith("xDS node ID: node-1");
  }

  @Conformance("A57-15")
  @Test
  void endpointsThatNeverComeEmptyTheClusterAfterFifteenSeconds() {
    routeTo("a");
    respond(ResourceType.CLUSTER, cluster("a"));
    loop.advance(Duration.ofSeconds(15));

    var leaf = (ClusterConfig.Leaf) clusterOf("a").toOptional().orElseThrow();
    assertThat(leaf.endpoints().status().code()).isEqualTo(RpcStatus.Code.UNAVAILABLE);
    assertThat(leaf.endpoints().status().message()).startsWith("endpoints \"a\" does not exist");
  }

  @Conformance({"A75-15", "A75-13"})
  @Test
  void aggregateServesFromTheOtherLeafWhenOneNeverComes() {
    routeTo("r");
    respond(ResourceType.CLUSTER, aggregate("r", "mute", "b"));
    respond(ResourceType.CLUSTER, aggregate("r", "mute", "b"), cluster("b"));
    respond(ResourceType.ENDPOINT, endpoints("b", "10.0.0.1"));
    loop.advance(Duration.ofMillis(14_999));
    assertThat(published).isEmpty();

    loop.advance(Duration.ofMillis(1));

    var aggregate = (ClusterConfig.Aggregate) clusterOf("r").toOptional().orElseThrow();
    assertThat(aggregate.leaves()).containsExactly("b");
  }

  @Conformance("A57-09")
  @Test
  void controlPlaneThatCannotBeReachedFailsTheTargetAtOnce() {
    server.stream().closeWith(RpcStatus.unavailable("connection refused"));

    assertThat(published).hasSize(1);
    RpcStatus status = published.get(0).status();
    assertThat(status.code()).isEqualTo(RpcStatus.Code.UNAVAILABLE);
    assertThat(status.message()).contains("cp.test:443").contains("connection refused");
  }
}
