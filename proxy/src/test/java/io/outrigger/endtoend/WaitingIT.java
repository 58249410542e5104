package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.netty.buffer.Unpooled;
import io.netty.util.AsciiString;
import io.outrigger.http2.ConnectionSettings;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.KnownName;
import io.outrigger.http2.testing.RawPeer;
import io.outrigger.http2.testing.RawPeer.Exchange;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that wait, and the answers of the sidecar itself. */
@Timeout(600)
@ParameterizedClass(name = "{0} loops")
@ValueSource(ints = {1, 2})
@Execution(ExecutionMode.CONCURRENT)
class WaitingIT {
  private static final Duration SOON = Duration.ofMillis(400);

  private final Mesh mesh;
  private final ControlPlane controlPlane;

  WaitingIT(int loops) {
    mesh = new Mesh(loops);
    controlPlane = mesh.controlPlane;
  }

  @AfterEach
  void close() {
    mesh.close();
  }

  private void routesToA() {
    controlPlane.serve(
        Xds.cluster("A"), Xds.listener("orders", "routes"), Xds.routesTo("routes", "A"));
  }

  /** A port that takes connections and never speaks HTTP/2: an attempt hangs there. */
  private ServerSocket silentPort() throws Exception {
    return mesh.keep(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
  }

  private void serveSilent(int port) {
    controlPlane.serve(Xds.endpoints("A", Xds.locality("a", 0, 1, List.of(port))));
  }

  @Conformance({"SC-20", "SC-09", "SC-51"})
  @Test
  void requestsWaitWhileConnectingUntilAnotherAddressIsThere() throws Exception {
    routesToA();
    serveSilent(silentPort().getLocalPort());
    mesh.with(Flag.CONNECT_TIMEOUT, "1h").startReady();
    App app = mesh.app();
    List<CompletableFuture<App.Reply>> waiting = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      waiting.add(app.send("test.Pay/Charge"));
    }

    App.Reply tooLate = raw("test.Pay/Charge", SOON);
    assertThat(tooLate.code()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    assertThat(tooLate.local()).isEqualTo("deadline");
    assertThat(tooLate.message()).contains("cluster \"A\"", "CONNECTING", Mesh.NODE);
    assertThat(waiting).noneMatch(CompletableFuture::isDone);
    controlPlane.serve(Xds.endpoints("A", mesh.backend("a")));

    for (CompletableFuture<App.Reply> call : waiting) {
      assertThat(App.join(call).backend()).isEqualTo("a");
    }
  }

  /** A call whose deadline only the sidecar keeps: the client's own would answer in its place. */
  private App.Reply raw(String path, Duration deadline) {
    return App.join(mesh.app().send(path, "grpc-timeout", deadline.toMillis() + "m"));
  }

  @Conformance("SC-20")
  @Test
  void waitingRequestsFailOnceTheClusterDoes() throws Exception {
    routesToA();
    ServerSocket silent = silentPort();
    serveSilent(silent.getLocalPort());
    mesh.startReady();
    CompletableFuture<App.Reply> waiting = mesh.app().send("test.Pay/Charge");
    mesh.keep(silent.accept()).close(); // the attempt fails
    silent.close();

    App.Reply reply = App.join(waiting);
    assertThat(reply.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(reply.message()).contains("127.0.0.1:" + silent.getLocalPort());
  }

  @Conformance("SC-22")
  @Test
  void theQueueIsBounded() throws Exception {
    routesToA();
    serveSilent(silentPort().getLocalPort());
    mesh.with(Flag.MAX_QUEUED_REQUESTS, "3").with(Flag.CONNECT_TIMEOUT, "1h").startReady();
    App app = mesh.app();
    List<CompletableFuture<App.Reply>> waiting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      waiting.add(app.send("test.Pay/Charge"));
    }
    Await.until( // calls that wait for the app's own connection may overtake each other
        "three wait",
        () ->
            mesh.admin()
                .get("/metrics")
                .body()
                .contains("outrigger_requests_queued{forward=\"orders\"} 3"));

    App.Reply fourth = app.call("test.Pay/Charge");

    assertThat(fourth.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(fourth.local()).isEqualTo("overload");
    assertThat(waiting).noneMatch(CompletableFuture::isDone);
    controlPlane.serve(Xds.endpoints("A", mesh.backend("a")));
    for (CompletableFuture<App.Reply> call : waiting) {
      assertThat(App.join(call).backend()).isEqualTo("a");
    }
  }

  @Conformance("SC-21")
  @Test
  void aRequestThatWaitsForReadyOutlivesAnOutage() throws Exception {
    Backend a = mesh.absentBackend("a");
    routesToA();
    controlPlane.serve(Xds.endpoints("A", a));
    mesh.startReady();
    App app = mesh.app();
    assertThat(app.call("test.Pay/Charge").code()).isEqualTo(Status.Code.UNAVAILABLE);
    CompletableFuture<App.Reply> waiting = app.send("test.Pay/Charge", App.WAIT_FOR_READY, "true");

    App.Reply tooLate =
        App.join(app.send("test.Pay/Charge", App.WAIT_FOR_READY, "true", "grpc-timeout", "300m"));
    assertThat(tooLate.code()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    assertThat(tooLate.message()).contains("127.0.0.1:" + a.port());
    assertThat(waiting).isNotDone();
    a.revive();

    assertThat(App.join(waiting).backend()).isEqualTo("a");
    assertThat(a.lastHeard().header(App.WAIT_FOR_READY)).isEmpty();
    assertThat(a.started()).isEqualTo(1); // the one that was too late was never tried
  }

  @Conformance({"SC-24", "SC-23"})
  @Test
  void aFailureIsOneBlockAndLetsTheAppGo() throws Exception {
    routesToA();
    controlPlane.serve(Xds.endpoints("A", mesh.absentBackend("a")));
    mesh.startReady();
    RawPeer peers = mesh.keep(new RawPeer());

    Exchange app =
        peers
            .connect(mesh.address(), ConnectionSettings.DEFAULT)
            .request(request("/test.Pay/Charge", "content-type", "application/grpc"), false);

    assertThat(app.next())
        .startsWith("H(:status=200, content-type=application/grpc, grpc-status=14, grpc-message=")
        .contains("x-outrigger-local=no_healthy_upstream")
        .endsWith("!");
    assertThat(app.next()).isEqualTo("RST(NO_ERROR)");
  }

  @Conformance("SC-26")
  @Test
  void plainRequestsGoTheSameWayAndFailInTheirOwnTerms() throws Exception {
    RawPeer peers = mesh.keep(new RawPeer());
    var server = peers.listen(ConnectionSettings.DEFAULT);
    controlPlane.serve(
        Xds.cluster("A"),
        Xds.cluster("down"),
        Xds.endpoints("A", Xds.locality("a", 0, 1, List.of(server.port()))),
        Xds.endpoints("down", mesh.absentBackend("x")),
        Xds.listener("orders", "routes"),
        Xds.routes(
            "routes",
            Xds.host(
                "*",
                Xds.route("/down", "down"),
                Xds.routeTo("/slow", "{\"cluster\":\"A\",\"timeout\":\"0.3s\"}"),
                Xds.route("/pay", "A"))));
    mesh.startReady();
    var connection = peers.connect(mesh.address(), ConnectionSettings.DEFAULT);

    Exchange served = connection.request(request("/pay?q=1", "x-a", "b"), true);
    Exchange backend = server.nextStream();
    assertThat(backend.next())
        .contains(":path=/pay?q=1", ":authority=orders", "x-a=b")
        .endsWith("!");
    backend.send(HeaderList.builder(1).add(KnownName.STATUS, "201").build(), false);
    backend.send(Unpooled.copiedBuffer("made", StandardCharsets.UTF_8), true);
    assertThat(served.next()).isEqualTo("H(:status=201)");
    assertThat(served.next()).isEqualTo("D(made)!");

    assertThat(connection.request(request("/none"), true).next())
        .startsWith("H(:status=404, content-type=text/plain")
        .contains("x-outrigger-local=no_route");
    assertThat(connection.request(request("/down"), true).next())
        .startsWith("H(:status=503, content-type=text/plain")
        .contains("x-outrigger-local=no_healthy_upstream");
    assertThat(connection.request(request("/slow"), true).next())
        .startsWith("H(:status=504, content-type=text/plain")
        .contains("x-outrigger-local=deadline");
    assertThat(server.nextStream().next()).contains(":path=/slow");
    Await.until(
        "no request is active",
        () ->
            mesh.admin()
                .get("/metrics")
                .body()
                .contains("outrigger_requests_active{forward=\"orders\"} 0"));
  }

  static HeaderList request(String path, String... more) {
    var head =
        HeaderList.builder(4 + more.length / 2)
            .add(KnownName.METHOD, "POST")
            .add(KnownName.SCHEME, "http")
            .add(KnownName.PATH, path)
            .add(KnownName.AUTHORITY, "app");
    for (int i = 0; i < more.length; i += 2) {
      head.add(AsciiString.of(more[i]), more[i + 1]);
    }
    return head.build();
  }
}
