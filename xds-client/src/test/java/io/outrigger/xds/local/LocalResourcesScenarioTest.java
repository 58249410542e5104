package io.outrigger.xds.local;

import static io.outrigger.xds.testing.JsonResources.badCluster;
import static io.outrigger.xds.testing.JsonResources.cluster;
import static io.outrigger.xds.testing.JsonResources.endpoints;
import static io.outrigger.xds.testing.JsonResources.listener;
import static io.outrigger.xds.testing.JsonResources.socketListener;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.BackgroundThread;
import io.outrigger.base.ControlThread;
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
import io.outrigger.xds.decode.ResourceDecoder;
import io.outrigger.xds.deps.XdsDependencyManager;
import io.outrigger.xds.stream.AdsClients;
import io.outrigger.xds.stream.AdsObserver;
import io.outrigger.xds.testing.FakeDnsLookup;
import io.outrigger.xds.testing.RecordingConfigs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From files on disk through stream, decoders, cache and graph to one configuration. */
class LocalResourcesScenarioTest {
  private final Path temp;
  private final FakeControlLoop loop = new FakeControlLoop();
  private final RecordingConfigs configs = new RecordingConfigs();
  private final List<Outcome<XdsConfig>> published = configs.published();
  private final ResourceFolder folder;

  LocalResourcesScenarioTest(@TempDir Path temp) {
    this.temp = temp;
    folder = new ResourceFolder(temp);
  }

  private static Bootstrap bootstrap() {
    return new Bootstrap(
        List.of(
            new XdsServer(
                "files",
                new XdsServer.ChannelCredentials.Insecure(),
                List.of(),
                ServerFeatures.NONE)),
        new Node("node-1", "", new Locality("", "", ""), Map.of()),
        Map.of(),
        Map.of(),
        "%s",
        Optional.empty());
  }

  private void run() {
    run(ResourceFiles.read(List.of(temp)), Runnable::run);
  }

  private void run(ResourceFiles read, Executor reader) {
    var directory = new ResourceDirectory(loop, reader, List.of(temp), read);
    var client =
        new AdsClients(
            loop,
            Runnable::run,
            RandomSource.SYSTEM,
            bootstrap(),
            "1",
            ResourceDecoder::decode,
            server -> directory.transport(),
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
    loop.inside(
        () -> {
          directory.start();
          manager.start();
        });
  }

  private void change() {
    loop.advance(Duration.ofSeconds(1));
  }

  private Outcome<XdsConfig> last() {
    return published.get(published.size() - 1);
  }

  private static Outcome<ClusterConfig> clusterOf(Outcome<XdsConfig> config, String name) {
    Outcome<ClusterConfig> cluster = config.toOptional().orElseThrow().clusters().get(name);
    if (cluster == null) {
      throw new AssertionError(name + " is not in " + config);
    }
    return cluster;
  }

  private String note(String cluster) {
    return clusterOf(last(), cluster).toOptional().orElseThrow().resolutionNote();
  }

  private static String ip(Outcome<XdsConfig> config, String cluster) {
    var leaf = (ClusterConfig.Leaf) clusterOf(config, cluster).toOptional().orElseThrow();
    var priority = leaf.endpoints().toOptional().orElseThrow().priorities().get(0);
    return priority.get(0).endpoints().get(0).address().ip();
  }

  @Test
  void filesBecomeAConfigurationAtOnceAndFollowEdits() {
    folder.write("a.json", listener("orders", "a"), cluster("a"), endpoints("a", "10.0.0.1"));
    run();
    assertThat(ip(last(), "a")).isEqualTo("10.0.0.1");

    folder.write("a.json", listener("orders", "b"), cluster("b"), endpoints("b", "10.0.0.2"));
    change();

    assertThat(ip(last(), "b")).isEqualTo("10.0.0.2");
    assertThat(last().toOptional().orElseThrow().clusters()).containsOnlyKeys("b");
  }

  @Test
  void filesThatWereReadBeforeTheStartAreNotReadAgainForIt() {
    folder.write("a.json", listener("orders", "a"), cluster("a"), endpoints("a", "10.0.0.1"));
    List<Runnable> readings = new ArrayList<>();

    run(ResourceFiles.read(List.of(temp)), readings::add);

    assertThat(ip(last(), "a")).isEqualTo("10.0.0.1");
    assertThat(readings).isEmpty();

    folder.write("a.json", listener("orders", "b"), cluster("b"), endpoints("b", "10.0.0.2"));
    change();
    readings.forEach(Runnable::run);
    loop.advance(Duration.ZERO);

    assertThat(ip(last(), "b")).isEqualTo("10.0.0.2");
  }

  @Test
  void resourceThatIsNowhereFailsWithoutWaiting() {
    folder.write("a.json", listener("orders", "a"));
    run();

    assertThat(clusterOf(last(), "a").status().message())
        .isEqualTo("cluster \"a\": does not exist in " + temp + "; xDS node ID: node-1");

    folder.write("b.json", cluster("a"), endpoints("a", "10.0.0.1"));
    change();
    assertThat(ip(last(), "a")).isEqualTo("10.0.0.1");
  }

  @Test
  void targetThatIsNowhereFailsWithoutWaiting() {
    folder.write("a.json");
    run();

    assertThat(last().status().message())
        .isEqualTo("listener \"orders\": does not exist in " + temp + "; xDS node ID: node-1");
  }

  @Conformance({"A74-06", "A36-06"})
  @Test
  void listenerOfAServerFailsTheTargetAndSaysWhy() {
    folder.write("a.json", socketListener("orders"));
    run();

    assertThat(last().status().code()).isEqualTo(RpcStatus.Code.UNAVAILABLE);
    assertThat(last().status().message())
        .contains("listener \"orders\" is for a server")
        .contains("api_listener");
  }

  @Test
  void refusedResourceAndBrokenFileKeepWhatServes() {
    folder.write("a.json", listener("orders", "a"), cluster("a"));
    folder.write("e.json", endpoints("a", "10.0.0.1"));
    run();

    folder.write("a.json", listener("orders", "a"), badCluster("a")).writeText("e.json", "{");
    change();
    assertThat(ip(last(), "a")).isEqualTo("10.0.0.1");
    assertThat(note("a")).contains("cluster \"a\"").contains("type");

    folder.write("a.json", listener("orders", "a"), cluster("a"));
    folder.write("e.json", endpoints("a", "10.0.0.2"));
    change();
    assertThat(ip(last(), "a")).isEqualTo("10.0.0.2");
  }

  @Test
  void removedClusterStaysInUseWithANote() {
    folder.write("a.json", listener("orders", "a"), endpoints("a", "10.0.0.1"));
    folder.write("c.json", cluster("a"));
    run();

    folder.delete("c.json");
    change();

    assertThat(ip(last(), "a")).isEqualTo("10.0.0.1"); // as of any control plane (A88-04)
    assertThat(note("a")).isEqualTo("cluster \"a\": does not exist in " + temp);
  }

  private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
    T next = queue.poll(60, TimeUnit.SECONDS);
    if (next == null) {
      throw new AssertionError("nothing came for 60 s");
    }
    return next;
  }

  @Test
  void realThreadsServeTheSame() throws Exception {
    folder.write("a.json", listener("orders", "a"), cluster("a"), endpoints("a", "10.0.0.1"));
    var answers = new LinkedBlockingQueue<Outcome<XdsConfig>>();
    try (var control = new ControlThread("test-control");
        var reading = new BackgroundThread("test-files")) {
      var directory =
          new ResourceDirectory(control, reading, List.of(temp), ResourceFiles.read(List.of(temp)));
      var ads =
          new AdsClients(
              control,
              Runnable::run,
              RandomSource.SYSTEM,
              bootstrap(),
              "1",
              ResourceDecoder::decode,
              server -> directory.transport(),
              AdsObserver.NONE);
      control.execute(
          () -> {
            directory.start();
            new XdsDependencyManager(
                    control,
                    ads.of("t"),
                    (host, port, callback) -> () -> {},
                    "orders",
                    "orders",
                    "n",
                    new RecordingConfigs().then(answers::add),
                    RandomSource.SYSTEM)
                .start();
          });

      assertThat(ip(next(answers), "a")).isEqualTo("10.0.0.1");
      folder.write("a.json", listener("orders", "a"), cluster("a"), endpoints("a", "10.0.0.2"));
      assertThat(ip(next(answers), "a")).isEqualTo("10.0.0.2");

      control.execute(directory::close);
      assertThat(control.failures()).isZero();
    }
  }
}
