package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.program.testing.OutriggerProcess;
import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The real program, seen from outside: command lines that end by themselves. */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
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
        "run --bootstrap bootstrap.json --forward 0=xds:///a |"
            + " bootstrap.json:1:18: $.xds_servers[0].server_uri: is a number; a string is required",
        "run --resources server.json --forward 0=xds:///a |"
            + " server.json:1:15: listener \"a\": api_listener: is missing; a client needs",
        "run --resources server.json --forward 0=http://a |"
            + " --forward: \"http://a\" is not a target such as xds:///orders",
        "run --bootstrap tls.json --forward 0=xds:///a |"
            + " tls.json (--bootstrap): xds server xds.example:443: tls credentials:"
            + " ca_certificate_file /no/such.pem does not exist; correct its path or the file",
      })
  void badInputIsOneLineAndExitCode2(String line, String expected) throws IOException {
    Files.writeString(
        folder.resolve("bootstrap.json"),
        "{\"xds_servers\":[{\"server_uri\":5,\"channel_creds\":[{\"type\":\"insecure\"}]}]}");
    Files.writeString(
        folder.resolve("tls.json"),
        """
        {"xds_servers": [{"server_uri": "xds.example:443", "channel_creds": [
          {"type": "tls", "config": {"ca_certificate_file": "/no/such.pem"}}]}]}
        """);
    Files.writeString(
        folder.resolve("server.json"),
        "{\"resources\":[{\"@type\":\"type.googleapis.com/envoy.config.listener.v3.Listener\","
            + "\"name\":\"a\"}]}");

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
            .isEqualTo("outrigger: --admin " + address + ": " + end);
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
            .isEqualTo("outrigger: --health " + address + ": " + end);
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
            .contains("address already in use");
      }
    }
  }

  /** An address with [::] cannot be opened in a browser; the health server is for other hosts. */
  @Test
  void adminServersForEveryHostAreWarnedOfAndShownAtLocalhost() {
    Map<String, String> flags =
        Map.of(
            "OUTRIGGER_RESOURCES",
            EXAMPLES.resolve("resources").toString(),
            "OUTRIGGER_ADMIN",
            "0.0.0.0:0",
            "OUTRIGGER_ADMIN_GRPC",
            "0.0.0.0:0",
            "OUTRIGGER_HEALTH",
            "0.0.0.0:0");
    try (var outrigger =
        OutriggerProcess.start(folder, flags, "run", "--forward", "0=xds:///greeter")) {
      outrigger.await(
          "the last server", () -> outrigger.errorText().contains("health: http://localhost:"));
      assertThat(outrigger.errorText())
          .containsPattern("admin: http://localhost:[0-9]+/")
          .containsPattern("--admin \\S+: every host that reaches this address can drain")
          .containsPattern("--admin-grpc \\S+: every host that reaches this address can ")
          .doesNotContainPattern("--health \\S+: every");
    }
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
