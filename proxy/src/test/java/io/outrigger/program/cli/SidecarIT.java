package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.service.status.v3.ClientConfig;
import io.outrigger.base.WaitingClock;
import io.outrigger.program.cli.TestBackend.Chat;
import io.outrigger.program.testing.OutriggerProcess;
import io.outrigger.testing.RefusingPort;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.testing.JsonResources;
import io.outrigger.xds.testing.ScriptedAdsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The real program, seen from outside: a sidecar that runs and is asked to end. */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
final class SidecarIT {
  private static final Path EXAMPLES = Path.of("..", "config", "examples");
  private static final String FORWARD = "0=xds:///greeter";
  private static final String ADMIN = "127.0.0.1:0";

  @TempDir Path folder;
  private TestBackend backend;

  @BeforeEach
  void startBackend() throws IOException {
    backend = TestBackend.start();
    Files.writeString(
        folder.resolve("greeter.yaml"),
        Files.readString(EXAMPLES.resolve("resources/greeter.yaml"))
            .replace("50051", Integer.toString(backend.port())));
  }

  @AfterEach
  void stopBackend() {
    backend.close();
  }

  private OutriggerProcess sidecar(String... more) {
    String[] args = {"run", "--resources", "greeter.yaml", "--forward", FORWARD, "--admin", ADMIN};
    String[] all = new String[args.length + more.length];
    System.arraycopy(args, 0, all, 0, args.length);
    System.arraycopy(more, 0, all, args.length, more.length);
    return OutriggerProcess.start(folder, all);
  }

  @Test
  void theExampleForwardsACallAndSaysSo() throws IOException {
    try (var outrigger = sidecar().awaitReady(200)) {
      assertThat(outrigger.forward("greeter", "state")).isEqualTo("READY");
      assertThat(TestBackend.echo(outrigger.port("greeter"), "hello")).isEqualTo("echo hello");

      assertThat(outrigger.get("/live").statusCode()).isEqualTo(200);
      assertThat(outrigger.get("/lb").body())
          .contains("\"greeter-cluster\"", "\"127.0.0.1:" + backend.port() + "\"");
      assertThat(outrigger.get("/metrics").body())
          .contains("outrigger_requests_total{forward=\"greeter\"")
          .contains("outrigger_build_info{")
          .contains("grpc_xds_client_connected{");
      var dump = ClientConfig.newBuilder();
      JsonFormat.parser()
          .usingTypeRegistry(
              JsonFormat.TypeRegistry.newBuilder()
                  .add(Listener.getDescriptor())
                  .add(HttpConnectionManager.getDescriptor())
                  .add(Router.getDescriptor())
                  .add(Cluster.getDescriptor())
                  .add(ClusterLoadAssignment.getDescriptor())
                  .build())
          .merge(outrigger.get("/config_dump").body(), dump);
      assertThat(dump.getGenericXdsConfigsList())
          .extracting(ClientConfig.GenericXdsConfig::getName)
          .containsExactlyInAnyOrder("greeter", "greeter-cluster", "greeter-cluster");
      assertThat(outrigger.get("/config_dump?type=foo").statusCode()).isEqualTo(400);

      var wait = new CommandLineFixture();
      assertThat(wait.run("wait", "--admin", outrigger.adminAddress())).isZero();
      var status = new CommandLineFixture();
      assertThat(status.run("status", "--admin", outrigger.adminAddress())).isZero();
      assertThat(status.out.toString())
          .contains("FORWARD", "xds:///greeter", "greeter-cluster", "ACKED", "round_robin");
    }
  }

  @Test
  void sigtermLetsAStreamFinishAndExitsWith0() throws IOException {
    try (var outrigger = sidecar("--drain-delay", "1s", "--drain-timeout", "1h").awaitReady(200);
        var chat = Chat.open(outrigger.port("greeter"))) {
      int port = outrigger.port("greeter");
      chat.say("a");
      assertThat(chat.hear()).isEqualTo("echo a");

      outrigger.terminate();
      outrigger.awaitReady(503);
      outrigger.await("port closed", () -> refuses(port));
      chat.say("b");
      assertThat(chat.hear()).isEqualTo("echo b");
      assertThat(outrigger.isAlive()).isTrue();
      chat.end();

      assertThat(chat.hear()).isEqualTo("OK");
      assertThat(outrigger.awaitExit()).isZero();
      assertThat(outrigger.errorText()).contains("drain: over, 1 requests finished, 0 cut");
    }
  }

  @Test
  void afterSigtermCallsAreTakenForAWhileAndASecondEndsAtOnce() {
    try (var outrigger = sidecar("--drain-delay", "1h").awaitReady(200)) {
      int port = outrigger.port("greeter");
      outrigger.terminate();
      outrigger.awaitReady(503);
      assertThat(TestBackend.echo(port, "late")).isEqualTo("echo late");
      WaitingClock.sleep(Duration.ofMillis(1_200)); // within a second it is the first one repeated
      outrigger.terminate();

      assertThat(outrigger.awaitExit()).isEqualTo(1);
      assertThat(outrigger.errorLines()).last().asString().startsWith("outrigger: second signal");
    }
  }

  @Test
  void anOrderToDrainKeepsTheProcessAndAnOrderToQuitEndsIt() {
    try (var outrigger = sidecar().awaitReady(200)) {
      assertThat(outrigger.get("/drain").statusCode()).isEqualTo(405);
      assertThat(outrigger.post("/drain").statusCode()).isEqualTo(202);
      outrigger.await("drained", () -> outrigger.errorText().contains("drain: over"));
      assertThat(outrigger.get("/live").statusCode()).isEqualTo(200);
      assertThat(outrigger.get("/ready").statusCode()).isEqualTo(503);

      assertThat(outrigger.post("/quit").statusCode()).isEqualTo(202);
      assertThat(outrigger.awaitExit()).isZero();
    }
  }

  @Test
  void variablesFileAndFlagsGoTogetherAndAUnixSocketServes() throws IOException {
    Path socketFile = folder.resolve("local.sock").toAbsolutePath();
    Files.writeString(
        folder.resolve("flags.yaml"),
        """
        resources: greeter.yaml
        forward: [ "0=xds:///greeter", "local@unix:%s=xds:///greeter" ]
        admin: "off"
        log-format: text
        """
            .formatted(socketFile));
    try (var outrigger =
        OutriggerProcess.start(
                folder,
                Map.of("OUTRIGGER_ADMIN", ADMIN, "OUTRIGGER_LOG_FORMAT", "json"),
                "run",
                "--config",
                "flags.yaml")
            .awaitReady(200)) {
      assertThat(outrigger.errorLines())
          .allSatisfy(line -> assertThat(line).startsWith("{\"time\":").endsWith("}"));
      assertThat(outrigger.forward("local", "listen")).isEqualTo("unix:" + socketFile);
      try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
        socket.connect(UnixDomainSocketAddress.of(socketFile));
        socket.write(ByteBuffer.wrap("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8)));
        ByteBuffer answer = ByteBuffer.allocate(1024);
        assertThat(socket.read(answer)).isPositive();
        assertThat(new String(answer.array(), StandardCharsets.UTF_8)).startsWith("HTTP/1.1 505 ");
      }
      outrigger.terminate();
      assertThat(outrigger.awaitExit()).isZero();
      assertThat(socketFile).doesNotExist();
    }
  }

  @Test
  void foreignBytesEndTheirOwnConnectionOnly() throws IOException {
    try (var outrigger = sidecar().awaitReady(200);
        var chat = Chat.open(outrigger.port("greeter"))) {
      int port = outrigger.port("greeter");
      chat.say("before");
      assertThat(chat.hear()).isEqualTo("echo before");

      assertThat(exchange(port, "GET / HTTP/1.1\r\nhost: a\r\n\r\n"))
          .startsWith("HTTP/1.1 505 ")
          .endsWith("this port speaks HTTP/2 with prior knowledge (h2c) only\n");
      assertThat(exchange(port, "garbage\r\n\r\n")).endsWith("no HTTP/2 preface");
      assertThat(exchange(port, "\u0016\u0003\u0001\u0002\u0000\u0001"))
          .endsWith("TLS on a plain-text port");

      chat.say("after");
      assertThat(chat.hear()).isEqualTo("echo after");
      chat.end();
      assertThat(chat.hear()).isEqualTo("OK");
    }
  }

  @Test
  @SuppressWarnings("try") // the port is let go before the end
  void anUnreachableControlPlaneIsToldAndLaterUsed() throws IOException {
    try (var gone = RefusingPort.any();
        var outrigger = withControlPlane(gone.number()).awaitReady(503)) {
      int port = gone.number();
      outrigger.await(
          "the reason", () -> outrigger.get("/ready").body().contains("127.0.0.1:" + port));
      outrigger.await("two calm seconds", () -> isCalm(outrigger));

      gone.close();
      try (var server = ScriptedAdsServer.startOn(port)) {
        var stream = server.awaitStream();
        stream.awaitRequest(ResourceType.LISTENER);
        stream.respond(
            ResourceType.LISTENER, "1", JsonResources.any(JsonResources.listener("greeter", "c")));
        stream.awaitRequest(ResourceType.CLUSTER);
        stream.respond(ResourceType.CLUSTER, "1", JsonResources.any(JsonResources.cluster("c")));
        stream.awaitRequest(ResourceType.ENDPOINT);
        stream.respond(
            ResourceType.ENDPOINT,
            "1",
            JsonResources.any(
                JsonResources.endpoints("c", "127.0.0.1")
                    .replace("\"port_value\":80", "\"port_value\":" + backend.port())));
        outrigger.awaitReady(200);

        assertThat(TestBackend.echo(outrigger.port("greeter"), "hello")).isEqualTo("echo hello");
      }
    }
  }

  /** Whether it leaves its processor alone for a while; what it does at its start may take long. */
  private static boolean isCalm(OutriggerProcess outrigger) {
    Duration before = outrigger.cpu();
    WaitingClock.sleep(Duration.ofSeconds(2));
    return outrigger.cpu().minus(before).compareTo(Duration.ofMillis(500)) < 0;
  }

  @Test
  void aListenerForNeitherSideIsRefusedWithTheRemedy() throws IOException {
    try (var server = ScriptedAdsServer.start();
        var outrigger = withControlPlane(server.port()).awaitReady(503)) {
      var stream = server.awaitStream();
      stream.awaitRequest(ResourceType.LISTENER);
      stream.respond(
          ResourceType.LISTENER,
          "7",
          JsonResources.any(
              "{\"@type\": \"" + ResourceType.LISTENER.typeUrl() + "\", \"name\": \"greeter\"}"));

      var nack = stream.awaitRequest(request -> request.hasErrorDetail());
      assertThat(nack.getErrorDetail().getMessage())
          .contains("listener \"greeter\": api_listener: is missing", "a client needs");
      outrigger.await(
          "the log line", () -> outrigger.errorText().contains("refused lds version 7"));
      outrigger.await("the dump", () -> outrigger.get("/config_dump").body().contains("NACKED"));
      assertThat(outrigger.get("/config_dump").body()).contains("api_listener: is missing");
      assertThat(outrigger.get("/ready").body()).contains("api_listener: is missing");
    }
  }

  private OutriggerProcess withControlPlane(int port) throws IOException {
    Files.writeString(
        folder.resolve("bootstrap.json"),
        Files.readString(EXAMPLES.resolve("bootstrap.json"))
            .replace("localhost:18000", "127.0.0.1:" + port));
    return OutriggerProcess.start(
        folder,
        Map.of("GRPC_XDS_BOOTSTRAP", "bootstrap.json"),
        "run",
        "--forward",
        FORWARD,
        "--admin",
        ADMIN);
  }

  private static boolean refuses(int port) {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return !socket.isConnected();
    } catch (SocketException refusedOrReset) {
      return true;
    } catch (IOException e) {
      return Assertions.fail(e);
    }
  }

  /** What the port says until it closes. */
  private static String exchange(int port, String bytes) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }
}
