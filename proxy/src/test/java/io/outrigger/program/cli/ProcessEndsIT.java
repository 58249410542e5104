package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.program.testing.OutriggerProcess;
import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The real program, seen from outside: command lines that end by themselves. */
@Timeout(600)
final class ProcessEndsIT {
  private static final Path EXAMPLES = Path.of("..", "config", "examples").toAbsolutePath();

  @TempDir Path folder;

  @Test
  void versionAndHelpGoToStdout() {
    try (var version = OutriggerProcess.start(folder, "--version")) {
      assertThat(version.awaitExit()).isZero();
      assertThat(version.outLines()).singleElement().asString().startsWith("outrigger ");
    }
    try (var help = OutriggerProcess.start(folder, "--help")) {
      assertThat(help.awaitExit()).isZero();
      assertThat(String.join("\n", help.outLines()))
          .contains("run ", "demo ", "validate ", "status ", "wait ", "Exit codes:");
    }
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "frobnicate | \"frobnicate\" is not a subcommand; give one of run,",
        "run --bootstrap none.json --forward 0=xds:///a |"
            + " --bootstrap: none.json does not exist; give the path of a gRPC xDS",
        "run --forward 0=xds:///a |"
            + " --bootstrap: is missing; give a file, set GRPC_XDS_BOOTSTRAP, or use --resources",
        "run --bootstrap bootstrap.json --forward 0=xds:///a |"
            + " bootstrap.json:1:18: $.xds_servers[0].server_uri: is a number; a string is required",
        "run --resources none --forward 0=xds:///a |"
            + " --resources: cannot read none: no such file or folder",
        "run --resources server.json --forward 0=xds:///a |"
            + " server.json:1:15: listener \"a\": api_listener: is missing; a client needs",
        "run --forward 0=http://a | --forward: \"http://a\" is not a target such as xds:///orders",
        "run --resources server.json --forward 0=http://a |"
            + " --forward: \"http://a\" is not a target such as xds:///orders",
        "run --resources server.json --forward 0=xds:///a --otlp ftp://x |"
            + " --otlp: \"ftp://x\" is not an endpoint such as http://collector:4317",
        "run --config flags.yaml | flags.yaml:3: foo: is not known; the keys are the flags of run",
      })
  void badInputIsOneLineAndExitCode2(String line, String expected) throws IOException {
    Files.writeString(
        folder.resolve("bootstrap.json"),
        "{\"xds_servers\":[{\"server_uri\":5,\"channel_creds\":[{\"type\":\"insecure\"}]}]}");
    Files.writeString(
        folder.resolve("server.json"),
        "{\"resources\":[{\"@type\":\"type.googleapis.com/envoy.config.listener.v3.Listener\","
            + "\"name\":\"a\"}]}");
    Files.writeString(
        folder.resolve("flags.yaml"), "resources: server.json\nforward: 0=xds:///a\nfoo: 1\n");

    try (var outrigger = OutriggerProcess.start(folder, line.split(" "))) {
      assertThat(outrigger.awaitExit()).isEqualTo(2);
      assertThat(outrigger.errorLines())
          .singleElement()
          .asString()
          .startsWith("outrigger: " + expected);
    }
  }

  @Test
  void aWrongVariableOfOpenTelemetryIsOneLineAndExitCode2() {
    try (var outrigger =
        OutriggerProcess.start(
            folder,
            Map.of(
                "OUTRIGGER_RESOURCES",
                EXAMPLES.resolve("resources").toString(),
                "OUTRIGGER_ADMIN",
                "off",
                "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL",
                "nonsense"),
            "run",
            "--forward",
            "0=xds:///greeter",
            "--otlp",
            "http://127.0.0.1:1")) {
      assertThat(outrigger.awaitExit()).isEqualTo(2);
      assertThat(outrigger.errorLines())
          .containsExactly(
              "outrigger: --otlp: Unsupported OTLP metrics protocol: nonsense; correct"
                  + " OTEL_EXPORTER_OTLP_METRICS_PROTOCOL");
    }
  }

  /** As on a machine, or in a container, that does not let a process have it. */
  @Test
  void aTransportThatDoesNotWorkHereIsOneLineAndExitCode1() {
    String transport = "epoll";
    List<String> program =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Dio.netty.transport.noNative=true",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName());

    try (var outrigger =
        OutriggerProcess.start(
            program,
            folder,
            Map.of("OUTRIGGER_RESOURCES", EXAMPLES.resolve("resources").toString()),
            "run",
            "--forward",
            "0=xds:///greeter",
            "--transport",
            transport)) {
      assertThat(outrigger.awaitExit()).isEqualTo(1);
      assertThat(outrigger.errorLines())
          .singleElement()
          .asString()
          .startsWith("outrigger: --transport " + transport + " does not work on this machine (")
          .endsWith("); use auto");
    }
  }

  @Conformance("DI-01")
  @Test
  void aPortInUseIsOneLineAndExitCode1() throws IOException {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      String end =
          "cannot listen on "
              + address
              + ": address already in use; stop what listens there or choose another address";
      String resources = EXAMPLES.resolve("resources").toString();

      try (var outrigger =
          OutriggerProcess.start(
              folder,
              Map.of("OUTRIGGER_RESOURCES", resources, "OUTRIGGER_ADMIN", "off"),
              "run",
              "--forward",
              address + "=xds:///greeter")) {
        assertThat(outrigger.awaitExit()).isEqualTo(1);
        assertThat(outrigger.errorLines())
            .containsExactly("outrigger: --forward greeter@" + address + "=xds:///greeter: " + end);
      }
      try (var outrigger =
          OutriggerProcess.start(
              folder,
              Map.of("OUTRIGGER_RESOURCES", resources, "OUTRIGGER_ADMIN", address),
              "run",
              "--forward",
              "0=xds:///greeter")) {
        assertThat(outrigger.awaitExit()).isEqualTo(1);
        assertThat(outrigger.errorLines())
            .singleElement()
            .asString()
            .isEqualToIgnoringCase("outrigger: --admin " + address + ": " + end);
      }
      try (var outrigger =
          OutriggerProcess.start(
              folder,
              Map.of("OUTRIGGER_RESOURCES", resources, "OUTRIGGER_HEALTH", address),
              "run",
              "--admin",
              "127.0.0.1:0",
              "--forward",
              "0=xds:///greeter")) {
        assertThat(outrigger.awaitExit()).isEqualTo(1);
        assertThat(outrigger.errorLines())
            .singleElement()
            .asString()
            .isEqualToIgnoringCase("outrigger: --health " + address + ": " + end);
      }
      try (var outrigger =
          OutriggerProcess.start(
              folder,
              Map.of("OUTRIGGER_RESOURCES", resources, "OUTRIGGER_ADMIN", "off"),
              "run",
              "--admin-grpc",
              address,
              "--forward",
              "0=xds:///greeter")) {
        assertThat(outrigger.awaitExit()).isEqualTo(1);
        assertThat(outrigger.errorText())
            .startsWith("outrigger: --admin-grpc " + address + ": cannot listen on " + address)
            .containsIgnoringCase("address already in use");
      }
    }
  }

  @Test
  void aCredentialFileThatIsNotThereIsBadInput() throws IOException {
    Path bootstrap = folder.resolve("tls.json");
    Files.writeString(
        bootstrap,
        """
        {"xds_servers": [{"server_uri": "xds.example:443", "channel_creds": [
          {"type": "tls", "config": {"ca_certificate_file": "/no/such.pem"}}]}]}
        """);

    try (var outrigger =
        OutriggerProcess.start(
            folder,
            "run",
            "--bootstrap",
            "tls.json",
            "--forward",
            "0=xds:///a",
            "--admin",
            "off")) {
      assertThat(outrigger.awaitExit()).isEqualTo(2);
      assertThat(outrigger.errorLines())
          .containsExactly(
              "outrigger: tls.json (--bootstrap): xds server xds.example:443: tls credentials:"
                  + " ca_certificate_file /no/such.pem does not exist; correct its path or the"
                  + " file");
    }
    try (var outrigger = OutriggerProcess.start(folder, "validate", "--bootstrap", "tls.json")) {
      assertThat(outrigger.awaitExit()).isEqualTo(2);
      assertThat(outrigger.outLines())
          .containsExactly(
              "tls.json (--bootstrap): xds server xds.example:443: tls credentials:"
                  + " ca_certificate_file /no/such.pem does not exist");
    }
  }

  @Test
  void validateNamesFileResourceAndField() throws IOException {
    Path bad = folder.resolve("bad.yaml");
    Files.writeString(
        bad,
        Files.readString(EXAMPLES.resolve("resources/greeter.yaml"))
            .replace("lb_policy: ROUND_ROBIN", "lb_policy: MAGLEV")
            .replace("port_value: 50051", "port_value: 70000"));

    try (var outrigger = OutriggerProcess.start(folder, "validate", "--resources", "bad.yaml")) {
      assertThat(outrigger.awaitExit()).isEqualTo(2);
      assertThat(outrigger.outLines())
          .anySatisfy(
              line ->
                  assertThat(line)
                      .startsWith("bad.yaml:28:5: cluster \"greeter-cluster\": lb_policy"))
          .anySatisfy(
              line ->
                  assertThat(line).startsWith("warning: bad.yaml:38:55: ").contains("port_value"));
    }
    try (var outrigger =
        OutriggerProcess.start(
            folder,
            "validate",
            "--bootstrap",
            EXAMPLES.resolve("bootstrap.json").toString(),
            "--resources",
            EXAMPLES.resolve("resources").toString())) {
      assertThat(outrigger.awaitExit()).isZero();
      assertThat(outrigger.outLines()).hasSize(2).allMatch(line -> line.endsWith(": OK"));
    }
  }

  @Conformance({"OV-03", "OV-04"})
  @Test
  void anOverlayThatIsWrongIsNamedWithItsPlaceBeforeAnythingStarts() throws IOException {
    Files.writeString(
        folder.resolve("policy.yaml"),
        "overlay:\n- name: a\n  clusters: ['*']\n  patch: {transport_socket: {}}\n");

    try (var outrigger =
        OutriggerProcess.start(
            folder,
            "run",
            "--resources",
            EXAMPLES.resolve("resources").toString(),
            "--overlay",
            "policy.yaml",
            "--forward",
            "0=xds:///a",
            "--admin",
            "off")) {
      assertThat(outrigger.awaitExit()).isEqualTo(2);
      assertThat(outrigger.errorLines())
          .singleElement()
          .asString()
          .startsWith(
              "outrigger: policy.yaml:4:11: rule a patch.transport_socket: may not be patched");
    }
  }

  @Conformance("OV-06")
  @Test
  void validateTriesAnOverlayOverResources() throws IOException {
    String resources = EXAMPLES.resolve("resources").toString();
    Path policy = folder.resolve("policy.yaml");
    String idle = "overlay:\n- {name: idle, clusters: ['no*'], patch: {lb_policy: RING_HASH}}\n";
    Files.writeString(policy, idle);

    try (var fine = validate("--resources", resources, "--overlay", "policy.yaml")) {
      assertThat(fine.awaitExit()).as(fine.errorText()).isZero();
      assertThat(fine.outLines())
          .contains("policy.yaml: OK", "warning: rule idle of policy.yaml:2 matches nothing");
    }

    Files.writeString(
        policy, idle + "- {name: bad, targets: ['xds:///*'], patch: {timeout: -1s}}\n");
    try (var wrong = validate("--overlay", "policy.yaml")) {
      assertThat(wrong.awaitExit()).isEqualTo(2);
      assertThat(wrong.outLines())
          .singleElement()
          .asString()
          .startsWith("policy.yaml:3:46: rule bad patch.timeout: ");
    }

    Files.writeString(
        folder.resolve("ring.yaml"),
        """
        resources:
        - "@type": type.googleapis.com/envoy.config.cluster.v3.Cluster
          name: ring
          type: EDS
          eds_cluster_config: {eds_config: {self: {}}}
          lb_policy: RING_HASH
          ring_hash_lb_config: {minimum_ring_size: 50}
        """);
    Files.writeString(
        policy,
        """
        overlay:
        - name: small
          clusters: [ring]
          patch: {ring_hash_lb_config: {maximum_ring_size: 40}}
        """);
    try (var leftOut = validate("--resources", "ring.yaml", "--overlay", "policy.yaml")) {
      assertThat(leftOut.awaitExit()).isEqualTo(2);
      assertThat(leftOut.outLines())
          .contains(
              "policy.yaml:2: rule small would be left out of ring:"
                  + " ring_hash_lb_config.minimum_ring_size: is 50, above the maximum of 40");
    }
  }

  private OutriggerProcess validate(String... arguments) throws IOException {
    List<String> line = new ArrayList<>(List.of("validate"));
    line.addAll(List.of(arguments));
    return OutriggerProcess.start(folder, line.toArray(String[]::new));
  }

  @Test
  void theDemoTellsItsStoryAndSucceeds() {
    try (var demo =
        OutriggerProcess.start(folder, "demo", "--duration", "8s", "--admin", "127.0.0.1:0")) {
      assertThat(demo.awaitExit()).as(demo.errorText()).isZero();
      assertThat(String.join("\n", demo.outLines()))
          .containsSubsequence(
              "A complete mesh",
              "are killed",
              "failed over",
              "started again",
              "back",
              "orders calls with its certificate: hello demo, this is gamma.",
              "no policy allows it: PERMISSION_DENIED.",
              "does not pass the TLS handshake: UNAVAILABLE.",
              "The app made")
          .contains(" succeeded, ");
    }
  }
}
