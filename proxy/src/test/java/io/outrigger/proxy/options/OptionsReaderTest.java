package io.outrigger.proxy.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.proxy.options.ProxyOptions.AccessLog;
import io.outrigger.proxy.options.ProxyOptions.AuthorityMode;
import io.outrigger.proxy.options.ProxyOptions.ConfigSource;
import io.outrigger.proxy.options.ProxyOptions.Connections;
import io.outrigger.proxy.options.ProxyOptions.Drain;
import io.outrigger.proxy.options.ProxyOptions.Limits;
import io.outrigger.proxy.options.ProxyOptions.Logging;
import io.outrigger.proxy.options.ProxyOptions.Transport;
import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class OptionsReaderTest {
  private static final String BOOTSTRAP =
      """
      {"xds_servers": [{"server_uri": "%s", "channel_creds": [{"type": "insecure"}],
        "server_features": ["fail_on_data_errors"]}],
       "authorities": {"east": {"xds_servers": [{"server_uri": "east:1",
         "channel_creds": [{"type": "insecure"}]}]}},
       "node": {"id": "me"}}
      """;

  private final Path folder;
  private final Map<Flag, List<String>> flags = new EnumMap<>(Flag.class);
  private final Map<String, String> environment = new HashMap<>();
  private final Path bootstrap;

  /** Each test starts with a bootstrap and one forward. */
  OptionsReaderTest(@TempDir Path folder) throws IOException {
    this.folder = folder;
    bootstrap = Files.writeString(folder.resolve("bootstrap.json"), BOOTSTRAP.formatted("cp:443"));
    flags.put(Flag.BOOTSTRAP, List.of(bootstrap.toString()));
    flags.put(Flag.FORWARD, List.of("9001=xds:///orders"));
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private void give(Flag flag, String... values) {
    flags.put(flag, List.of(values));
  }

  private ProxyOptions read() throws InvalidInput {
    return OptionsReader.read(flags, environment, new Machine(3, 1000 << 20));
  }

  private List<String> errors() {
    InvalidInput failure = catchThrowableOfType(InvalidInput.class, this::read);
    assertThat(failure).as("expected to be refused").isNotNull();
    List<String> lines = new ArrayList<>();
    for (String line : failure.lines()) {
      assertThat(line).doesNotContain("\n");
      lines.add(line.replace(folder.toString(), "DIR"));
    }
    return lines;
  }

  private String server() throws InvalidInput {
    return read().source().bootstrap().servers().get(0).uri();
  }

  @Test
  void whatIsNotGivenHasTheDefaultsOfTheContract() throws InvalidInput {
    ProxyOptions options = read();

    assertThat(options)
        .isEqualTo(
            new ProxyOptions(
                options.source(),
                List.of(Forward.parse("9001=xds:///orders")),
                Optional.of(new ListenAddress.Tcp("127.0.0.1", 9901)),
                Optional.empty(),
                3,
                Transport.AUTO,
                new Connections(
                    Duration.ofSeconds(20),
                    Duration.ofMinutes(30),
                    Duration.ZERO,
                    Duration.ofSeconds(20)),
                new Limits(1000, 65536, 10_000, 500 << 20, 10_000, 100),
                false,
                new AuthorityMode.OfTarget(),
                new Drain(Duration.ZERO, Duration.ofSeconds(30)),
                new AccessLog.Off(),
                new Logging(Logging.Level.INFO, Logging.Format.TEXT),
                Optional.empty()));
    assertThat(options.source().isStatic()).isFalse();
    assertThat(options.source().bootstrap().servers())
        .extracting(XdsServer::uri)
        .containsExactly("cp:443");
  }

  @Test
  void everyFlagIsUnderstood() throws InvalidInput {
    give(Flag.FORWARD, "a@[::1]:0=xds://east/orders", "all@unix:/run/all.sock=xds:///*");
    give(Flag.MAX_TARGETS, "7");
    give(Flag.ADMIN, "off");
    give(Flag.ADMIN_GRPC, "0.0.0.0:9902");
    give(Flag.THREADS, "2");
    give(Flag.TRANSPORT, "io_uring");
    give(Flag.CONNECT_TIMEOUT, "5s");
    give(Flag.IDLE_TIMEOUT, "off");
    give(Flag.KEEPALIVE_TIME, "10s");
    give(Flag.KEEPALIVE_TIMEOUT, "250ms");
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
    give(Flag.LOG_LEVEL, "debug");
    give(Flag.LOG_FORMAT, "json");
    give(Flag.OTLP, "http://collector:4317");

    ProxyOptions options = read();

    assertThat(options)
        .isEqualTo(
            new ProxyOptions(
                options.source(),
                List.of(
                    new Forward(
                        "a",
                        new ListenAddress.Tcp("::1", 0),
                        new XdsTarget.Service(Optional.of("east"), "orders")),
                    new Forward(
                        "all",
                        new ListenAddress.Unix("/run/all.sock"),
                        new XdsTarget.ByAuthority())),
                Optional.empty(),
                Optional.of(new ListenAddress.Tcp("0.0.0.0", 9902)),
                2,
                Transport.IO_URING,
                new Connections(
                    Duration.ofSeconds(5),
                    Duration.ZERO,
                    Duration.ofSeconds(10),
                    Duration.ofMillis(250)),
                new Limits(10, 8192, 20, 64 << 20, 0, 7),
                true,
                new AuthorityMode.Fixed("orders.example:443"),
                new Drain(Duration.ofSeconds(1), Duration.ofSeconds(2)),
                new AccessLog.Stdout(),
                new Logging(Logging.Level.DEBUG, Logging.Format.JSON),
                Optional.of("http://collector:4317")));
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
  void aListOfTheEnvironmentIsSplitByCommasAndReplacesTheOneOfTheFile()
      throws IOException, InvalidInput {
    flags.remove(Flag.FORWARD);
    give(
        Flag.CONFIG,
        write("o.yaml", "forward: ['9003=xds:///c', '9004=xds:///d']\nthreads: 5\n").toString());

    assertThat(read().forwards()).extracting(Forward::name).containsExactly("c", "d");

    environment.put("OUTRIGGER_FORWARD", "9001=xds:///a, 9002=xds:///b,");

    assertThat(read().forwards()).extracting(Forward::name).containsExactly("a", "b");
    assertThat(read().threads()).isEqualTo(5);
  }

  @Test
  void theFileMayBeNamedByTheEnvironmentAndHoldsPlainYaml() throws IOException, InvalidInput {
    environment.put(
        "OUTRIGGER_CONFIG",
        write("o.yaml", "admin: off\nignore-route-timeout: true\nmax-memory: 2097152\n")
            .toString());

    assertThat(read().admin()).isEmpty();
    assertThat(read().ignoreRouteTimeout()).isTrue();
    assertThat(read().limits().maxMemoryBytes()).isEqualTo(2 << 20);
  }

  @Test
  void anEmptyVariableIsAsIfUnset() throws InvalidInput {
    environment.put("OUTRIGGER_ADMIN", "");

    assertThat(read().admin()).isPresent();
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "'log_level: INFO' | DIR/o.yaml: log_level: is not known; did you mean \"log-level\"?;"
            + " the keys are the flags of run",
        "'config: x' | DIR/o.yaml: config: is not known; the keys are the flags of run",
        "'threads: many' | DIR/o.yaml: threads: \"many\" is not a whole number from 1 to 1024",
        "'threads: [1, 2]' | DIR/o.yaml: threads: takes one value, not a list",
        "'forward: []' | DIR/o.yaml: forward: is an empty list",
        "'admin: {a: b}' | DIR/o.yaml: admin: has no plain value; write it as \"admin: value\"",
        "'admin:' | DIR/o.yaml: admin: has no plain value; write it as \"admin: value\"",
        "'- a' | DIR/o.yaml: is no map; write lines such as \"admin: 127.0.0.1:9901\"",
      })
  void aBadFileIsNamedWithTheKey(String yaml, String expected) throws IOException {
    give(Flag.CONFIG, write("o.yaml", yaml + "\n").toString());
    flags.remove(Flag.FORWARD);
    environment.put("OUTRIGGER_FORWARD", "9001=xds:///orders");

    assertThat(errors()).containsExactly(expected);
  }

  @Test
  void brokenYamlIsNamedWithTheLine() throws IOException {
    give(Flag.CONFIG, write("o.yaml", "threads: 1\nadmin: [\n").toString());

    assertThat(errors()).singleElement().asString().startsWith("DIR/o.yaml: line 3, column 1: ");
  }

  @Test
  void aMissingFileIsNamedWithItsFlag() {
    give(Flag.CONFIG, "/no/such.yaml");

    assertThat(errors()).containsExactly("--config: cannot read /no/such.yaml: no such file");
  }

  @ParameterizedTest(name = "{0} {1} -> {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "FORWARD | 9001 | --forward: \"9001\" has no target; write it as 9001=xds:///orders",
        "FORWARD | 9901=xds:///a | --admin: the admin server: 127.0.0.1:9901 is taken by"
            + " \"9901=xds:///a\"; choose another address",
        "FORWARD | 1=xds://west/a | --forward: \"xds://west/a\": authority \"west\" is not among"
            + " the bootstrap's authorities [east]",
        "MAX_TARGETS | 0 | --max-targets: \"0\" is not a whole number from 1 to 2147483647",
        "ADMIN | nowhere | --admin: \"nowhere\" is not an address such as 9001, 127.0.0.1:9001 or"
            + " [::1]:9001",
        "ADMIN | unix:/a | --admin: \"unix:/a\" is not an address such as 9001, 127.0.0.1:9001 or"
            + " [::1]:9001",
        "ADMIN_GRPC | 9901 | --admin-grpc: the admin gRPC server: 127.0.0.1:9901 is taken by the"
            + " admin server; choose another address",
        "THREADS | -1 | --threads: \"-1\" is not a whole number from 1 to 1024",
        "THREADS | 2.5 | --threads: \"2.5\" is not a whole number from 1 to 1024",
        "TRANSPORT | kqueue | --transport: \"kqueue\" is none of auto, io_uring, epoll, nio",
        "CONNECT_TIMEOUT | 0s | --connect-timeout: \"0s\" must be more than zero",
        "IDLE_TIMEOUT | 5 | --idle-timeout: \"5\" is not a duration such as 250ms, 5s, 30m or 1h",
        "KEEPALIVE_TIME | x | --keepalive-time: \"x\" is not a duration such as 250ms, 5s, 30m or"
            + " 1h",
        "KEEPALIVE_TIMEOUT | 0ms | --keepalive-timeout: \"0ms\" must be more than zero",
        "MAX_CONCURRENT_STREAMS | 0 | --max-concurrent-streams: \"0\" is not a whole number from 1"
            + " to 2147483647",
        "MAX_HEADER_BYTES | 1 | --max-header-bytes: \"1\" is less than 1024 bytes",
        "MAX_HEADER_BYTES | 1GiB | --max-header-bytes: \"1GiB\" is more than 16777216 bytes",
        "MAX_CONNECTIONS | all | --max-connections: \"all\" is not a whole number from 1 to"
            + " 2147483647",
        "MAX_MEMORY | lots | --max-memory: \"lots\" is not a size such as 65536, 64KiB or 1GiB",
        "MAX_QUEUED_REQUESTS | -1 | --max-queued-requests: \"-1\" is not a whole number from 0 to"
            + " 2147483647",
        "IGNORE_ROUTE_TIMEOUT | yes | --ignore-route-timeout: \"yes\" is not true or false",
        "AUTHORITY | a b | --authority: \"a b\" is not target, preserve, or an authority such as"
            + " orders.example:443",
        "DRAIN_DELAY | soon | --drain-delay: \"soon\" is not a duration such as 250ms, 5s, 30m or"
            + " 1h",
        "DRAIN_TIMEOUT | -1s | --drain-timeout: \"-1s\" is not a duration such as 250ms, 5s, 30m"
            + " or 1h",
        "ACCESS_LOG | /no/such/log | --access-log: cannot write /no/such/log; give a file in a"
            + " folder that exists and can be written to",
        "ACCESS_LOG | / | --access-log: \"/\" is a folder; give a file, or - for stdout",
        "LOG_LEVEL | loud | --log-level: \"loud\" is none of trace, debug, info, warn, error, off",
        "LOG_FORMAT | xml | --log-format: \"xml\" is none of text, json",
        "OTLP | collector | --otlp: \"collector\" is not an endpoint such as http://collector:4317",
        "RESOURCES | /no/such | --resources: cannot read /no/such: no such file or folder",
        "BOOTSTRAP | /no/such | --bootstrap: cannot read /no/such: no such file; give the path of a"
            + " gRPC xDS bootstrap",
      })
  void aBadFlagIsOneLineThatNamesIt(Flag flag, String value, String expected) {
    give(flag, value);

    assertThat(errors()).containsExactly(expected);
  }

  @Test
  void aBadValueOfTheEnvironmentIsNamedByItsVariable() {
    environment.put("OUTRIGGER_THREADS", "none");

    assertThat(errors())
        .containsExactly("OUTRIGGER_THREADS: \"none\" is not a whole number from 1 to 1024");
  }

  @Test
  void allErrorsAreToldAtOnce() {
    flags.remove(Flag.FORWARD);
    give(Flag.THREADS, "0");
    give(Flag.BOOTSTRAP, "/no/such");

    assertThat(errors())
        .hasSize(3)
        .anyMatch(line -> line.startsWith("--bootstrap: "))
        .anyMatch(
            line ->
                line.equals(
                    "--forward: is missing; give at least one, such as --forward"
                        + " 9001=xds:///orders"))
        .anyMatch(line -> line.startsWith("--threads: "));
  }

  @Test
  void twoForwardsMayShareNeitherNameNorAddress() {
    give(Flag.FORWARD, "9001=xds:///a", "9002=xds:///a", "b@127.0.0.1:9001=xds:///b");

    assertThat(errors())
        .containsExactly(
            "--forward: \"9002=xds:///a\" has the name of \"9001=xds:///a\"; give it one of its own"
                + " as NAME@9002=xds:///a",
            "--forward: \"b@127.0.0.1:9001=xds:///b\": 127.0.0.1:9001 is taken by"
                + " \"9001=xds:///a\"; choose another address");
  }

  @Test
  @Conformance("A27-01")
  void theBootstrapComesFromTheFlagElseTheFileVariableElseTheTextVariable()
      throws IOException, InvalidInput {
    environment.put(
        "GRPC_XDS_BOOTSTRAP", write("b2.json", BOOTSTRAP.formatted("two:2")).toString());
    environment.put("GRPC_XDS_BOOTSTRAP_CONFIG", BOOTSTRAP.formatted("three:3"));

    assertThat(server()).isEqualTo("cp:443");
    assertThat(read().source().bootstrapOrigin()).contains(bootstrap + " (--bootstrap)");

    flags.remove(Flag.BOOTSTRAP);
    assertThat(server()).isEqualTo("two:2");
    assertThat(read().source().bootstrapOrigin())
        .contains(folder.resolve("b2.json") + " (GRPC_XDS_BOOTSTRAP)");

    environment.remove("GRPC_XDS_BOOTSTRAP");
    assertThat(server()).isEqualTo("three:3");
    assertThat(read().source().bootstrapOrigin())
        .contains("the text in $GRPC_XDS_BOOTSTRAP_CONFIG");

    environment.remove("GRPC_XDS_BOOTSTRAP_CONFIG");
    assertThat(errors())
        .containsExactly(
            "--bootstrap: is missing; give a file, set GRPC_XDS_BOOTSTRAP, or use --resources"
                + " without a control plane");
  }

  @Test
  @Conformance("A27-01")
  void aBadBootstrapIsNamedWithItsSourceAndTheJsonPath() throws IOException {
    give(Flag.BOOTSTRAP, write("bad.json", "{\"xds_servers\": [], \"node\": 1}").toString());
    assertThat(errors())
        .containsExactly(
            "DIR/bad.json: $.xds_servers: is empty; at least one control plane is required",
            "DIR/bad.json: $.node: is a number; an object is required");

    flags.remove(Flag.BOOTSTRAP);
    environment.put("GRPC_XDS_BOOTSTRAP", "/no/such");
    environment.put("GRPC_XDS_BOOTSTRAP_CONFIG", BOOTSTRAP);
    assertThat(errors())
        .as("a file that cannot be read is not passed over")
        .singleElement()
        .asString()
        .startsWith("GRPC_XDS_BOOTSTRAP: cannot read /no/such: no such file");

    environment.remove("GRPC_XDS_BOOTSTRAP");
    environment.put("GRPC_XDS_BOOTSTRAP_CONFIG", "{");
    assertThat(errors())
        .singleElement()
        .asString()
        .startsWith("GRPC_XDS_BOOTSTRAP_CONFIG: $: is not JSON: ");
  }

  @Test
  void resourcesNeedNoBootstrap() throws IOException, InvalidInput {
    flags.remove(Flag.BOOTSTRAP);
    Path resources = write("r.yaml", "resources: []\n");
    give(Flag.RESOURCES, resources.toString(), folder.toString());

    ConfigSource source = read().source();

    assertThat(source.isStatic()).isTrue();
    assertThat(source.resources()).containsExactly(resources, folder);
    assertThat(source.bootstrapOrigin()).isEmpty();
    assertThat(source.bootstrap().servers())
        .extracting(XdsServer::uri)
        .containsExactly(ConfigSource.STATIC_SERVER);
    assertThat(source.bootstrap().node().id()).isEqualTo("outrigger");
  }

  @Test
  void withResourcesABootstrapKeepsAllButItsServers() throws IOException, InvalidInput {
    give(Flag.RESOURCES, write("r.yaml", "resources: []\n").toString());

    Bootstrap read = read().source().bootstrap();

    assertThat(read.servers())
        .extracting(XdsServer::uri)
        .containsExactly(ConfigSource.STATIC_SERVER);
    assertThat(read.servers().get(0).features().failOnDataErrors()).isTrue();
    assertThat(read.node().id()).isEqualTo("me");
    assertThat(read.authorities())
        .isEqualTo(Map.of("east", new Bootstrap.Authority(List.of(), Optional.empty())));
  }
}
