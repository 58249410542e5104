package io.outrigger.program.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.dataplane.calls.Measuring;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.dataplane.forward.AuthorityMode;
import io.outrigger.dataplane.serve.ServeSettings;
import io.outrigger.http2.EventLoops.TransportKind;
import io.outrigger.program.options.ProxyOptions.AccessLog;
import io.outrigger.program.options.ProxyOptions.ConfigSource;
import io.outrigger.program.options.ProxyOptions.Connections;
import io.outrigger.program.options.ProxyOptions.Drain;
import io.outrigger.program.options.ProxyOptions.Limits;
import io.outrigger.program.options.ProxyOptions.Logging;
import io.outrigger.program.options.ProxyOptions.Measurement;
import io.outrigger.program.options.ProxyOptions.Routing;
import io.outrigger.program.options.ProxyOptions.Servers;
import io.outrigger.program.options.ProxyOptions.Serving;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.kubernetes.ServicePort;
import io.outrigger.xds.local.OverlayFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class OptionsReaderTest extends OptionsFixture {
  OptionsReaderTest(@TempDir Path folder) throws IOException {
    super(folder);
  }

  private String server() throws InvalidInput {
    return read().source().orElseThrow().bootstrap().servers().get(0).uri();
  }

  @Test
  void whatIsNotGivenHasTheDefaultsOfTheContract() throws InvalidInput {
    ProxyOptions options = read();

    assertThat(options)
        .isEqualTo(
            new ProxyOptions(
                options.source(),
                options.lookup(),
                List.of(),
                OverlayFiles.NONE,
                Optional.empty(),
                List.of(ForwardSpec.parse("9001=xds:///orders")),
                Optional.empty(),
                new Serving(
                    List.of(),
                    new ServeSettings(
                        Duration.ofSeconds(30), Duration.ofMinutes(10), false, false)),
                new Servers(
                    Optional.of(new ListenAddress.Tcp("127.0.0.1", 9901)),
                    Optional.empty(),
                    Optional.empty()),
                3,
                TransportKind.AUTO,
                new Connections(
                    Duration.ofSeconds(20),
                    Duration.ofMinutes(30),
                    Duration.ZERO,
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(30),
                    Duration.ofMinutes(5)),
                new Limits(1000, 65536, 10_000, MEMORY.peerBytes(), 10_000, 100),
                new Routing(false, false, new AuthorityMode.OfTarget(), Duration.ofSeconds(30)),
                new Drain(Duration.ZERO, Duration.ofSeconds(30)),
                Optional.empty(),
                new Measurement(
                    new Measuring(Set.of(), false, false, false, false),
                    Set.of(),
                    Optional.empty()),
                new Logging(Logging.Level.INFO, Logging.Format.TEXT),
                options.settings()));
    assertThat(options.source().orElseThrow().isStatic()).isFalse();
    assertThat(options.source().orElseThrow().bootstrap().servers())
        .extracting(XdsServer::uri)
        .containsExactly("cp:443");
  }

  @Conformance("A75-05")
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({"true, true", "false, false", "TRUE, false", "1, false", "'', false"})
  void aggregatesDecideOnlyWhenTheVariableIsTrue(String value, boolean decide) throws InvalidInput {
    environment.put("GRPC_XDS_AGGREGATE_CLUSTER_BACKWARD_COMPAT", value);

    assertThat(read().routing().aggregatesDecide()).isEqualTo(decide);
  }

  @Test
  void aStrayBootstrapOfTheEnvironmentIsNotReadForDnsTargets() throws InvalidInput {
    flags.remove(Flag.BOOTSTRAP);
    environment.put("GRPC_XDS_BOOTSTRAP", "/no/such/file.json");
    give(Flag.FORWARD, "9001=dns:///orders:50051");

    ProxyOptions options = read();

    assertThat(options.source().orElseThrow().bootstrapOrigin()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"/var/lib/state, true", "off, false"})
  void aStateBesideResourcesIsWarnedOf(String state, boolean isWarnedOf)
      throws IOException, InvalidInput {
    give(Flag.STATE, state);
    assertThat(read().source().orElseThrow().warnings()).isEmpty();
    give(Flag.RESOURCES, write("r.yaml", "resources: []\n").toString());

    List<String> warnings = read().source().orElseThrow().warnings();

    assertThat(warnings)
        .containsExactly(
            isWarnedOf
                ? new String[] {
                  "--state: has no effect, because --resources replaces the control plane; leave it"
                      + " out"
                }
                : new String[0]);
  }

  @Test
  void everyFlagIsUnderstood() throws IOException, InvalidInput {
    give(Flag.FORWARD, "a@[::1]:0=xds://east/orders", "all@unix:/run/all.sock=xds:///*");
    give(Flag.BOOTSTRAP, writeServing().toString());
    give(Flag.STATE, "/var/lib/state");
    give(Flag.STATE_AFTER, "2s");
    give(Flag.STATE_MAX_AGE, "3h");
    give(Flag.SERVE, "pay@10.1.2.3:8080=127.0.0.1:8080", "[::]:8081=unix:/run/a=b.sock");
    give(Flag.SERVE_DRAIN_SPREAD, "4s");
    give(Flag.SERVE_DRAIN_GRACE, "20s");
    give(Flag.SERVE_REQUIRE_RBAC, "true");
    give(Flag.PEER_HEADER, "x-forwarded-client-cert");
    give(Flag.MAX_TARGETS, "7");
    give(Flag.DNS_REFRESH, "0s");
    give(Flag.ADMIN, "off");
    give(Flag.ADMIN_GRPC, "0.0.0.0:9902");
    give(Flag.HEALTH, "0.0.0.0:9903");
    give(Flag.THREADS, "2");
    give(Flag.TRANSPORT, "io_uring");
    give(Flag.CONNECT_TIMEOUT, "5s");
    give(Flag.IDLE_TIMEOUT, "off");
    give(Flag.KEEPALIVE_TIME, "10s");
    give(Flag.KEEPALIVE_TIMEOUT, "250ms");
    give(Flag.FRAME_TIMEOUT, "7s");
    give(Flag.UNREAD_TIMEOUT, "8m");
    give(Flag.MAX_CONCURRENT_STREAMS, "10");
    give(Flag.MAX_HEADER_BYTES, "8KiB");
    give(Flag.MAX_CONNECTIONS, "20");
    give(Flag.MAX_MEMORY, "64MiB");
    give(Flag.MAX_QUEUED_REQUESTS, "0");
    give(Flag.IGNORE_ROUTE_TIMEOUT, "true");
    give(Flag.AUTHORITY, "orders.example:443");
    give(Flag.DRAIN_DELAY, "1s");
    give(Flag.DRAIN_TIMEOUT, "2s");
    give(Flag.ACCESS_LOG, "-");
    give(Flag.METRIC_METHODS, "test.Pay/Charge", "a.b.C/D");
    give(Flag.METRICS_EXPERIMENTAL, "grpc.client.attempt.delay.duration");
    give(Flag.METRIC_LOCALITY, "true");
    give(Flag.LOG_LEVEL, "debug");
    give(Flag.LOG_FORMAT, "json");
    give(Flag.OTLP, "http://collector:4317");

    ProxyOptions options = read();

    assertThat(options)
        .isEqualTo(
            new ProxyOptions(
                options.source(),
                options.lookup(),
                List.of(),
                OverlayFiles.NONE,
                Optional.of(
                    new ProxyOptions.State(
                        Path.of("/var/lib/state"), Duration.ofSeconds(2), Duration.ofHours(3))),
                List.of(
                    new ForwardSpec(
                        "a",
                        new ListenAddress.Tcp("::1", 0),
                        new Target.Xds(Optional.of("east"), "orders")),
                    new ForwardSpec(
                        "all", new ListenAddress.Unix("/run/all.sock"), new Target.ByAuthority())),
                Optional.empty(),
                new Serving(
                    List.of(
                        new ServeSpec(
                            "pay",
                            new ListenAddress.Tcp("10.1.2.3", 8080),
                            new ListenAddress.Tcp("127.0.0.1", 8080)),
                        new ServeSpec(
                            "[::]:8081",
                            new ListenAddress.Tcp("::", 8081),
                            new ListenAddress.Unix("/run/a=b.sock"))),
                    new ServeSettings(Duration.ofSeconds(4), Duration.ofSeconds(20), true, true)),
                new Servers(
                    Optional.empty(),
                    Optional.of(new ListenAddress.Tcp("0.0.0.0", 9902)),
                    Optional.of(new ListenAddress.Tcp("0.0.0.0", 9903))),
                2,
                TransportKind.AUTO,
                new Connections(
                    Duration.ofSeconds(5),
                    Duration.ZERO,
                    Duration.ofSeconds(10),
                    Duration.ofMillis(250),
                    Duration.ofSeconds(7),
                    Duration.ofMinutes(8)),
                new Limits(10, 8192, 20, 64 << 20, 0, 7),
                new Routing(
                    false, true, new AuthorityMode.Fixed("orders.example:443"), Duration.ZERO),
                new Drain(Duration.ofSeconds(1), Duration.ofSeconds(2)),
                Optional.of(new AccessLog.Stdout()),
                new Measurement(
                    new Measuring(Set.of("test.Pay/Charge", "a.b.C/D"), true, false, true, false),
                    Set.of(),
                    Optional.of("http://collector:4317")),
                new Logging(Logging.Level.DEBUG, Logging.Format.JSON),
                options.settings()));
  }

  @Test
  void theSettingsNameEveryFlagThatHasAValue() throws InvalidInput {
    give(Flag.MAX_CONNECTIONS, "20");
    give(Flag.OTLP, "http://user:secret@collector:4317");
    give(Flag.METRICS_LABELS, "none");

    Map<String, Object> settings = read().settings();

    assertThat(settings)
        .containsEntry("forward", List.of("9001=xds:///orders"))
        .containsEntry("max-connections", 20)
        .containsEntry("max-concurrent-streams", 1000)
        .containsEntry("threads", 3)
        .containsEntry("drain-timeout", "30s")
        .containsEntry("idle-timeout", "30m")
        .containsEntry("drain-delay", "0s")
        .containsEntry("admin", "127.0.0.1:9901")
        .containsEntry("health", "off")
        .containsEntry("transport", "auto")
        .containsEntry("authority", "target")
        .containsEntry("access-log", "off")
        .containsEntry("ignore-route-timeout", false)
        .containsEntry("metrics-labels", List.of("none"))
        .containsEntry("otlp", "http://collector:4317");
  }

  @ParameterizedTest(name = "{0}: locality {1}, without {2}")
  @CsvSource({
    "all, true, ''",
    "none, false, 'grpc.disconnect_error grpc.lb.backend_service grpc.lb.locality"
        + " grpc.security_level'",
    "'grpc.lb.backend_service,grpc.lb.locality', true, 'grpc.disconnect_error"
        + " grpc.security_level'",
  })
  void theOptionalLabelsOfMetricsAreChosen(String text, boolean locality, String without)
      throws InvalidInput {
    give(Flag.METRIC_LOCALITY, Boolean.toString(!locality));
    give(Flag.METRICS_LABELS, text);

    ProxyOptions options = read();

    assertThat(options.measurement().calls().localities()).isEqualTo(locality);
    assertThat(String.join(" ", new TreeSet<>(options.measurement().leftOutLabels())))
        .isEqualTo(without);
  }

  @Test
  void noneExcludesOtherLabels() {
    give(Flag.METRICS_LABELS, "grpc.lb.locality", "none");

    assertThatThrownBy(this::read)
        .hasMessage("--metrics-labels: none excludes all labels; give none alone");
  }

  @Test
  void anUnknownLabelIsRefusedWithTheKnownOnes() {
    give(Flag.METRICS_LABELS, "grpc.target");

    assertThatThrownBy(this::read)
        .hasMessageContaining("--metrics-labels: \"grpc.target\" is none of all, none, ")
        .hasMessageContaining("grpc.lb.locality");
  }

  @Test
  @Conformance("OPS-05")
  void withServesNoForwardIsNeeded() throws IOException, InvalidInput {
    flags.remove(Flag.FORWARD);
    flags.remove(Flag.BOOTSTRAP);
    environment.put("OUTRIGGER_SERVE", "a@0.0.0.0:8080=9000,[::1]:8081=[::1]:8080");
    give(Flag.RESOURCES, write("r.yaml", "resources: []\n").toString());
    give(Flag.SERVE_DRAIN_GRACE, "5s");

    ProxyOptions options = read();

    assertThat(options.forwards()).isEmpty();
    assertThat(options.serving().serves())
        .extracting(ServeSpec::toString)
        .containsExactly("a@0.0.0.0:8080=127.0.0.1:9000", "[::1]:8081@[::1]:8081=[::1]:8080");
    assertThat(options.serving().settings().drainSpread()).isEqualTo(Duration.ofSeconds(5));
    assertThat(options.source().orElseThrow().bootstrap().serverListenerNameTemplate())
        .as("without a bootstrap, a Listener is found by its address")
        .contains("%s");
  }

  @ParameterizedTest(name = "flag {0}, environment {1}, file {2} -> {3}")
  @CsvSource({
    "1, 2, 3, 1",
    "1, -, -, 1",
    "1, 2, -, 1",
    "1, -, 3, 1",
    "-, 2, 3, 2",
    "-, 2, -, 2",
    "-, -, 3, 3",
    "-, -, -, 30",
  })
  void flagsWinOverEnvironmentOverFile(String flag, String variable, String file, int seconds)
      throws IOException, InvalidInput {
    if (!flag.equals("-")) {
      give(Flag.DRAIN_TIMEOUT, flag + "s");
    }
    if (!variable.equals("-")) {
      environment.put("OUTRIGGER_DRAIN_TIMEOUT", variable + "s");
    }
    if (!file.equals("-")) {
      give(Flag.CONFIG, write("o.yaml", "drain-timeout: " + file + "s\n").toString());
    }

    assertThat(read().drain().timeout()).isEqualTo(Duration.ofSeconds(seconds));
  }

  @Test
  void aTextOfTheFileKeepsItsCharacters() throws IOException, InvalidInput {
    give(Flag.CONFIG, write("o.yaml", "authority: 1.10\n").toString());

    assertThat(read().routing().authority()).isEqualTo(new AuthorityMode.Fixed("1.10"));
  }

  @Conformance("A121-01")
  @Test
  void anUnknownExperimentIsAnErrorThatNamesThoseThereAre() {
    give(Flag.METRICS_EXPERIMENTAL, "grpc.client.call.delay.duration", "grpc.client.call.delay");

    assertThat(errors())
        .containsExactly(
            "--metrics-experimental: \"grpc.client.call.delay\" is none of"
                + " grpc.client.call.delay.duration, grpc.client.attempt.delay.duration");
  }

  @Test
  void aListOfTheEnvironmentIsSplitByCommasAndReplacesTheOneOfTheFile()
      throws IOException, InvalidInput {
    flags.remove(Flag.FORWARD);
    give(
        Flag.CONFIG,
        write("o.yaml", "forward: ['9003=xds:///c', '9004=xds:///d']\nthreads: 5\n").toString());

    assertThat(read().forwards()).extracting(ForwardSpec::name).containsExactly("c", "d");

    environment.put("OUTRIGGER_FORWARD", "9001=xds:///a, 9002=xds:///b,");

    assertThat(read().forwards()).extracting(ForwardSpec::name).containsExactly("a", "b");
    assertThat(read().threads()).isEqualTo(5);
  }

  @Test
  void theFileMayBeNamedByTheEnvironmentAndHoldsPlainYaml() throws IOException, InvalidInput {
    environment.put(
        "OUTRIGGER_CONFIG",
        write("o.yaml", "admin: off\nignore-route-timeout: true\nmax-memory: 2097152\n")
            .toString());

    assertThat(read().servers().admin()).isEmpty();
    assertThat(read().routing().ignoreRouteTimeout()).isTrue();
    assertThat(read().limits().maxMemoryBytes()).isEqualTo(2 << 20);
  }

  @Test
  void anEmptyVariableIsAsIfUnset() throws InvalidInput {
    environment.put("OUTRIGGER_ADMIN", "");

    assertThat(read().servers().admin()).isPresent();
  }

  @Test
  @Conformance("A27-01")
  void theBootstrapComesFromTheFlagElseTheFileVariableElseTheTextVariable()
      throws IOException, InvalidInput {
    environment.put(
        "GRPC_XDS_BOOTSTRAP", write("b2.json", BOOTSTRAP.formatted("two:2")).toString());
    environment.put("GRPC_XDS_BOOTSTRAP_CONFIG", BOOTSTRAP.formatted("three:3"));

    assertThat(server()).isEqualTo("cp:443");
    assertThat(read().source().orElseThrow().bootstrapOrigin())
        .contains(bootstrap + " (--bootstrap)");

    flags.remove(Flag.BOOTSTRAP);
    assertThat(server()).isEqualTo("two:2");
    assertThat(read().source().orElseThrow().bootstrapOrigin())
        .contains(folder.resolve("b2.json") + " (GRPC_XDS_BOOTSTRAP)");

    environment.remove("GRPC_XDS_BOOTSTRAP");
    assertThat(server()).isEqualTo("three:3");
    assertThat(read().source().orElseThrow().bootstrapOrigin())
        .contains("the text in $GRPC_XDS_BOOTSTRAP_CONFIG");

    environment.remove("GRPC_XDS_BOOTSTRAP_CONFIG");
    assertThat(errors())
        .containsExactly(
            "--bootstrap: is missing; give a file, set GRPC_XDS_BOOTSTRAP, or use --resources"
                + " without a control plane");
  }

  @Conformance("DI-08")
  @Test
  void targetsOfDnsAloneNeedNoBootstrap() throws InvalidInput {
    flags.remove(Flag.BOOTSTRAP);
    give(Flag.FORWARD, "9001=dns:///orders:50051", "pay@unix:/run/a=b.sock=dns:///pay:1");

    assertThat(read().forwards())
        .extracting(ForwardSpec::toString)
        .containsExactly(
            "orders:50051@127.0.0.1:9001=dns:///orders:50051",
            "pay@unix:/run/a=b.sock=dns:///pay:1");
    assertThat(read().source().orElseThrow().bootstrap().allServers()).isEmpty();

    give(Flag.FORWARD, "9001=dns:///orders:50051", "9002=xds:///orders");
    assertThat(errors()).singleElement().asString().startsWith("--bootstrap: is missing");
    give(Flag.FORWARD, "9001=dns:///orders");
    assertThat(errors())
        .containsExactly(
            "--forward: \"dns:///orders\" is not a target such as dns:///orders:50051: it has no"
                + " port; add the one that the backends listen on, such as dns:///orders:50051");
  }

  @Conformance("KN-01")
  @Test
  void servicesOfKubernetesNeedAnApiServerAndNoBootstrap() throws IOException, InvalidInput {
    flags.remove(Flag.BOOTSTRAP);
    give(Flag.FORWARD, "9001=k8s:///orders.shop:8080", "9002=dns:///orders:1");
    assertThat(errors())
        .containsExactly(
            "--forward: \"k8s:///orders.shop:8080\": KUBERNETES_SERVICE_HOST is not set, so this is"
                + " no pod of a cluster; outside of a cluster give --kubeconfig FILE");

    environment.put("KUBERNETES_SERVICE_HOST", "10.0.0.1");
    give(Flag.ZONE, "a");
    ProxyOptions options = read();
    assertThat(options.kubernetes().orElseThrow().api().server())
        .hasToString("https://10.0.0.1:443");
    assertThat(options.kubernetes().orElseThrow().zone()).contains("a");
    assertThat(options.kubernetesServices())
        .containsExactly(new ServicePort("orders", "shop", "8080"));

    give(Flag.KUBECONFIG, "");
    assertThat(errors()).containsExactly("--kubeconfig: is empty; give a kubeconfig file");
    give(Flag.KUBECONFIG, write("kubeconfig", "current-context: x").toString());
    assertThat(errors())
        .containsExactly(
            "--kubeconfig: DIR/kubeconfig: context \"x\" is not in contexts; add it there");
  }

  @Conformance("DI-08")
  @Test
  void aBootstrapThatIsNamedIsReadForTargetsOfDnsToo() {
    give(Flag.FORWARD, "9001=dns:///orders:50051");
    give(Flag.BOOTSTRAP, folder.resolve("absent.json").toString());

    assertThat(errors()).singleElement().asString().contains("absent.json");
  }

  @Test
  void aBootstrapThatIsNotThereIsLeftForLaterWhereThereIsTime() throws InvalidInput {
    give(Flag.BOOTSTRAP, folder.resolve("late.json").toString());
    assertThat(errors()).hasSize(1);
    give(Flag.BOOTSTRAP_TIMEOUT, "0s");
    assertThat(errors()).hasSize(1);

    give(Flag.BOOTSTRAP_TIMEOUT, "30s");

    assertThat(read().source()).isEmpty();
    assertThat(read().lookup().timeout()).isEqualTo(Duration.ofSeconds(30));
    give(Flag.THREADS, "none");
    assertThat(errors()).singleElement().asString().startsWith("--threads: ");
  }

  @Test
  void resourcesNeedNoBootstrap() throws IOException, InvalidInput {
    flags.remove(Flag.BOOTSTRAP);
    Path resources = write("r.yaml", "resources: []\n");
    Path others = Files.createDirectory(folder.resolve("others"));
    write("others/o.yaml", "resources: []\n");
    give(Flag.RESOURCES, resources.toString(), others.toString());

    ConfigSource source = read().source().orElseThrow();

    assertThat(source.isStatic()).isTrue();
    assertThat(source.resources()).containsExactly(resources, others);
    assertThat(source.bootstrapOrigin()).isEmpty();
    assertThat(source.bootstrap().servers())
        .extracting(XdsServer::uri)
        .containsExactly(ConfigSource.STATIC_SERVER);
    assertThat(source.bootstrap().node().id()).isEqualTo("outrigger");
  }

  @Test
  void withResourcesABootstrapKeepsAllButItsServers() throws IOException, InvalidInput {
    give(Flag.RESOURCES, write("r.yaml", "resources: []\n").toString());

    Bootstrap read = read().source().orElseThrow().bootstrap();

    assertThat(read.servers())
        .extracting(XdsServer::uri)
        .containsExactly(ConfigSource.STATIC_SERVER);
    assertThat(read.servers().get(0).features().failOnDataErrors()).isTrue();
    assertThat(read.node().id()).isEqualTo("me");
    assertThat(read.authorities())
        .isEqualTo(Map.of("east", new Bootstrap.Authority(List.of(), Optional.empty(), false)));
  }
}
