package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.channelz.v1.ChannelzGrpc;
import io.grpc.channelz.v1.GetServerSocketsRequest;
import io.grpc.channelz.v1.GetServersRequest;
import io.grpc.channelz.v1.GetSocketRequest;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.RefusingPort;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.testing.NameServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code --serve}: when its port is open, and what its configuration changes. */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class ServeIT {
  private static final String METHOD = "test.Pay/Charge";

  private final Mesh mesh = new Mesh();
  private final ControlPlane controlPlane = mesh.controlPlane;
  private final RefusingPort port = mesh.keep(RefusingPort.any());
  private final Backend app = mesh.backend("app");

  private final MultiThreadIoEventLoopGroup unixLoop =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());

  @AfterEach
  void close() {
    mesh.close();
    unixLoop.shutdownGracefully();
  }

  private String listen() {
    return "127.0.0.1:" + port.number();
  }

  private String name() {
    return "inbound/" + listen();
  }

  private String listener(String routes) {
    return Xds.serverListener(name(), "127.0.0.1", port.number(), routes);
  }

  private static String inline(String prefix) {
    String routes = Xds.servedRoutes("inline", prefix);
    return "\"route_config\":{" + routes.substring(routes.indexOf(',') + 1);
  }

  private ServeIT start() throws Exception {
    mesh.with(Flag.FORWARD)
        .with(Flag.SERVE, "pay@" + listen() + "=127.0.0.1:" + app.port())
        .with(Flag.SERVE_DRAIN_SPREAD, "0s")
        .start();
    return this;
  }

  private ServeIT startServing() throws Exception {
    controlPlane.serve(listener(Xds.rds("r1")), Xds.servedRoutes("r1", "/"));
    start();
    awaitState("SERVING", "");
    return this;
  }

  private App caller() {
    return mesh.keep(
        new App(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.number())));
  }

  private JsonObject state() {
    return mesh.admin().get("/listeners").array().get(0).getAsJsonObject();
  }

  private void awaitState(String state, String error) {
    Await.until(
        state + ": " + error,
        () -> state().toString(),
        () ->
            state().get("state").getAsString().equals(state)
                && state().get("error").getAsString().contains(error)
                && (!error.isEmpty() || state().get("error").getAsString().isEmpty()));
  }

  private static boolean isRefused(int port) throws IOException {
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return false;
    } catch (SocketException refusedOrReset) {
      return true;
    }
  }

  private List<String> events(String kind) {
    List<String> events = new ArrayList<>();
    mesh.admin()
        .get("/events?format=json&since=0")
        .array()
        .forEach(
            event -> {
              if (event.getAsJsonObject().get("kind").getAsString().equals(kind)) {
                events.add(event.getAsJsonObject().get("message").getAsString());
              }
            });
    return events;
  }

  @Test
  @Conformance({"A36-01", "A36-03", "A36-04"})
  void thePortOpensWhenListenerRoutesAndAppAreThere() throws Exception {
    app.kill();
    start();
    awaitState("WAITING", "listener \"" + name() + "\"");
    assertThat(isRefused(port.number())).isTrue();
    assertThat(mesh.admin().get("/ready").status()).isEqualTo(503);

    controlPlane.serve(listener(Xds.rds("r1")));
    awaitState("WAITING", "route configuration \"r1\"");
    assertThat(isRefused(port.number())).isTrue();

    controlPlane.serve(Xds.servedRoutes("r1", "/"));
    awaitState("WAITING", "the app cannot be reached: 127.0.0.1:" + app.port());
    assertThat(isRefused(port.number())).isTrue();

    app.revive();
    awaitState("SERVING", "");
    assertThat(caller().call(METHOD).backend()).isEqualTo("app");
    Await.until("ready", () -> mesh.admin().get("/ready").status() == 200);
    assertThat(controlPlane.nacks()).isEmpty();
    assertThat(state().toString())
        .isEqualTo(
            "{\"name\":\"pay\",\"listen\":\"%s\",\"app\":\"127.0.0.1:%d\",\"resource\":\"%s\",\"state\":\"SERVING\",\"error\":\"\",\"chains\":[{\"name\":\"in\",\"tls\":false,\"client_certificate\":false,\"filters\":[\"router\"]}],\"connections\":1}"
                .formatted(listen(), app.port(), name()));
    assertThat(events("serving")).containsExactly("serving");
  }

  @Test
  @Conformance("A36-05")
  void aListenerOfAnotherAddressIsNotServed() throws Exception {
    controlPlane.serve(Xds.serverListener(name(), "127.0.0.9", port.number(), inline("/")));
    start();
    awaitState("NOT_SERVING", "is for 127.0.0.9:" + port.number());
    assertThat(state().get("error").getAsString()).contains(listen());
    assertThat(isRefused(port.number())).isTrue();
    assertThat(controlPlane.nacks()).isEmpty();
    assertThat(mesh.admin().get("/ready").body()).contains("pay", "NOT_SERVING", "127.0.0.9");
    assertThat(events("not_serving")).hasSize(1);

    controlPlane.serve(Xds.serverListener(name(), "127.0.0.1", 0, inline("/")));
    awaitState("SERVING", "");
    assertThat(caller().call(METHOD).backend()).isEqualTo("app");
  }

  @Test
  @Conformance("A36-06")
  void aListenerForClientsIsNotServed() throws Exception {
    controlPlane.serve(Xds.listener(name(), "routes"));
    start();
    awaitState("NOT_SERVING", "is an API listener");
    assertThat(isRefused(port.number())).isTrue();
    assertThat(controlPlane.nacks()).isEmpty();
  }

  @Test
  @Conformance("A36-22")
  void aDeletedListenerEndsNoCallAndComesBack() throws Exception {
    startServing();
    App caller = caller();
    CompletableFuture<App.Reply> held = caller.send("test.Pay/Hold");
    Await.until("the call is held", () -> app.held() == 1);

    controlPlane.remove(ResourceType.LISTENER, name());
    awaitState("NOT_SERVING", "does not exist");
    Await.until("the port is closed", () -> isRefused(port.number()));
    app.release();
    assertThat(App.join(held).backend()).isEqualTo("app");

    controlPlane.serve(listener(Xds.rds("r1")));
    awaitState("SERVING", "");
    assertThat(caller().call(METHOD).backend()).isEqualTo("app");
  }

  @Test
  @Conformance("A36-23")
  void aControlPlaneThatIsLostChangesNothing() throws Exception {
    startServing();
    Load load = mesh.load(caller(), METHOD, 100);
    load.awaitMore("app", 20);

    for (int i = 0; i < 2; i++) {
      int before = controlPlane.opened();
      controlPlane.kill();
      load.awaitMore("app", 50);
      assertThat(state().get("state").getAsString()).isEqualTo("SERVING");
      assertThat(mesh.admin().get("/ready").status()).isEqualTo(200);
      controlPlane.revive();
      Await.until("the stream is back", () -> controlPlane.opened() > before);
    }
    load.awaitMore("app", 50);
    load.close();

    assertThat(load.failures()).isEmpty();
    assertThat(app.connections()).isLessThanOrEqualTo(2); // one for each event loop
    assertThat(events("not_serving")).isEmpty();
  }

  @Test
  @Conformance("A36-20")
  void anEqualListenerDrainsNothing() throws Exception {
    startServing();
    App caller = caller();
    CompletableFuture<App.Reply> held = caller.send("test.Pay/Hold");
    Await.until("the call is held", () -> app.held() == 1);

    for (int i = 0; i < 5; i++) {
      controlPlane.serve(listener(Xds.rds("r1")), Xds.servedRoutes("r1", "/"));
    }
    controlPlane.serve(Xds.servedRoutes("r1", "/test.Pay/")); // arrives after all of them
    Await.until(
        "the change is in force",
        () -> caller().call("other.Pay/Charge").code() == Status.Code.UNAVAILABLE);

    assertThat(caller.call(METHOD).backend()).isEqualTo("app");
    assertThat(state().get("connections").getAsInt()).isGreaterThanOrEqualTo(1);
    app.release();
    assertThat(App.join(held).backend()).isEqualTo("app");
    assertThat(events("serving")).hasSize(1);
  }

  @Test
  @Conformance("A36-21")
  void theOldListenerServesUntilTheNewRoutesAreThere() throws Exception {
    startServing();

    controlPlane.serve(listener(Xds.rds("r2")));
    controlPlane.awaitAskedFor(ResourceType.ROUTE, "r2");
    assertThat(caller().call(METHOD).backend()).isEqualTo("app");

    controlPlane.serve(Xds.servedRoutes("r2", "/other."));
    Await.until(
        "the new routes are in force",
        () -> caller().call(METHOD).code() == Status.Code.UNAVAILABLE);
    assertThat(caller().call("other.Pay/Charge").backend()).isEqualTo("app");
    Await.until(
        "the old routes are let go",
        () -> controlPlane.subscribed(ResourceType.ROUTE).equals(Set.of("r2")));
  }

  @Test
  @Conformance("A36-16")
  void routesThatAreRefusedFailTheirRequestsWithTheReason() throws Exception {
    mesh.serverFeature("fail_on_data_errors");
    controlPlane.serve(
        listener(Xds.rds("r1")), Xds.servedRoutes("r1", "/").replace("{\"prefix\":\"/\"}", "{}"));
    start();
    awaitState("SERVING", "route configuration \"r1\"");
    assertThat(mesh.admin().get("/ready").status()).isEqualTo(200);

    App.Reply reply = caller().call(METHOD);
    assertThat(reply.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(reply.local()).isEqualTo("xds_error");
    assertThat(reply.message()).contains("route configuration \"r1\"", Mesh.NODE);

    controlPlane.serve(Xds.servedRoutes("r1", "/"));
    awaitState("SERVING", "");
    assertThat(caller().call(METHOD).backend()).isEqualTo("app");
  }

  @Test
  @Conformance("OPS-07")
  void aRefusedListenerIsShownWhileItsPredecessorServes() throws Exception {
    startServing();

    controlPlane.serve(
        listener(Xds.rds("r1"))
            .replace("\"address\":{\"socket", "\"use_original_dst\":true,\"address\":{\"socket"));
    awaitState("SERVING", "use_original_dst");
    assertThat(mesh.admin().get("/ready").status()).isEqualTo(200);
    assertThat(caller().call(METHOD).backend()).isEqualTo("app");

    controlPlane.serve(listener(Xds.rds("r1")));
    awaitState("SERVING", "");
  }

  @Test
  @Conformance("A36-24")
  void anAddressInUseIsTriedAgain() throws Exception {
    try (var other = new ServerSocket()) {
      other.setReuseAddress(true);
      other.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.number()));
      controlPlane.serve(listener(inline("/")));
      start();
      awaitState("BIND_RETRY", "address already in use");
      assertThat(mesh.admin().get("/ready").body()).contains("address already in use");
      assertThat(events("not_serving")).singleElement().asString().contains(listen());

      controlPlane.serve(Xds.listener(name(), "routes"));
      awaitState("NOT_SERVING", "is an API listener");
      controlPlane.serve(listener(inline("/")));
      awaitState("BIND_RETRY", "address already in use");
    }
    awaitState("SERVING", "");
    assertThat(caller().call(METHOD).backend()).isEqualTo("app");
  }

  @Test
  @Conformance("A36-25")
  void servedAddressesAreIndependentAndShareAStream() throws Exception {
    RefusingPort second = mesh.keep(RefusingPort.any());
    Backend a = mesh.backend("a");
    controlPlane.serve(
        listener(inline("/")),
        Xds.cluster("A"),
        Xds.endpoints("A", a),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
    mesh.with(
            Flag.SERVE,
            "pay@" + listen() + "=127.0.0.1:" + app.port(),
            "ship@127.0.0.1:" + second.number() + "=127.0.0.1:" + app.port())
        .start();

    awaitState("SERVING", "");
    assertThat(caller().call(METHOD).backend()).isEqualTo("app");
    assertThat(mesh.app().call(METHOD).backend()).isEqualTo("a");
    assertThat(isRefused(second.number())).isTrue();
    assertThat(mesh.admin().get("/ready").status()).isEqualTo(503);

    String shipName = "inbound/127.0.0.1:" + second.number();
    controlPlane.serve(Xds.serverListener(shipName, "127.0.0.1", second.number(), inline("/")));
    Await.until("ready", () -> mesh.admin().get("/ready").status() == 200);
    controlPlane.serve(Xds.listener(name(), "routes"));
    awaitState("NOT_SERVING", "is an API listener");
    assertThat(isRefused(second.number())).isFalse();
    assertThat(mesh.app().call(METHOD).backend()).isEqualTo("a");

    assertThat(controlPlane.mostStreams()).isEqualTo(1);
    assertThat(mesh.admin().get("/metrics").body())
        .contains("grpc_xds_client_connected{grpc_target=\"#server\"")
        .contains("grpc_xds_client_connected{grpc_target=\"#all\"");
    JsonObject dump = mesh.admin().get("/config_dump").object();
    List<String> scopes = new ArrayList<>();
    dump.getAsJsonArray("config")
        .forEach(
            config -> {
              JsonObject of = config.getAsJsonObject();
              scopes.add(
                  (of.has("clientScope") ? of.get("clientScope").getAsString() : "")
                      + " "
                      + of.toString().contains(shipName)
                      + " "
                      + of.toString().contains("\"orders\""));
            });
    assertThat(scopes).containsExactlyInAnyOrder(" false true", "#server true false");
  }

  @Test
  void withoutABootstrapTheListenerIsFoundByItsAddress(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("in.json");
    String document =
        "{\"resources\":["
            + Xds.serverListener("any name", "127.0.0.1", port.number(), inline("/"))
            + "]}";
    Files.writeString(file, document);
    mesh.with(Flag.RESOURCES, folder.toString());
    start();
    awaitState("SERVING", "");
    assertThat(caller().call(METHOD).backend()).isEqualTo("app");

    Files.writeString(file, document.replace("\"prefix\":\"/\"", "\"prefix\":\"/other.\""));
    Await.until(
        "the change is in force", () -> caller().call(METHOD).code() == Status.Code.UNAVAILABLE);
  }

  @Test
  @Conformance("OPS-04")
  void atTheEndServedCallsComeFirstAndForwardsLast() throws Exception {
    Backend a = mesh.backend("a");
    controlPlane.serve(
        listener(inline("/")),
        Xds.cluster("A"),
        Xds.endpoints("A", a),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
    mesh.with(Flag.SERVE, "pay@" + listen() + "=127.0.0.1:" + app.port())
        .with(Flag.DRAIN_TIMEOUT, "1h")
        .startReady();
    CompletableFuture<App.Reply> held = caller().send("test.Pay/Hold");
    Await.until("the call is held", () -> app.held() == 1);

    CompletableFuture<Void> over = mesh.proxy().drain();
    Await.until("the served port is closed", () -> isRefused(port.number()));
    awaitState("NOT_SERVING", "draining");
    assertThat(mesh.app().call(METHOD).backend()).isEqualTo("a"); // a new connection of the app
    assertThat(over).isNotDone();

    app.release();
    assertThat(App.join(held).backend()).isEqualTo("app");
    over.get(60, TimeUnit.SECONDS);
    assertThat(isRefused(mesh.address().getPort())).isTrue();
  }

  @Test
  @Conformance("OPS-04")
  void theDrainTimeoutLimitsServedCallsAndForwardsTogether() throws Exception {
    mesh.with(Flag.DRAIN_TIMEOUT, "300ms");
    startServing();
    CompletableFuture<App.Reply> held = caller().send("test.Pay/Hold");
    Await.until("the call is held", () -> app.held() == 1);

    mesh.proxy().drain().get(60, TimeUnit.SECONDS);

    assertThat(App.join(held).code()).isEqualTo(Status.Code.UNAVAILABLE);
    Await.until("the app was told", () -> app.held() == 0);
  }

  @Test
  void anAppMayListenOnAUnixSocket(@TempDir Path folder) throws Exception {
    Path socket = folder.resolve("app.sock");
    var status = new HealthStatusManager();
    Server server =
        NettyServerBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
            .channelType(EpollServerDomainSocketChannel.class)
            .bossEventLoopGroup(unixLoop)
            .workerEventLoopGroup(unixLoop)
            .addService(status.getHealthService())
            .build()
            .start();
    mesh.keep(server::shutdownNow);
    controlPlane.serve(listener(inline("/")));
    mesh.with(Flag.FORWARD)
        .with(Flag.SERVE, "pay@" + listen() + "=unix:" + socket)
        .with(Flag.HEALTH, "127.0.0.1:0")
        .start();
    awaitState("SERVING", "");

    assertThat(caller().call("grpc.health.v1.Health/Check").status().isOk()).isTrue();
    assertThat(state().get("app").getAsString()).isEqualTo("unix:" + socket);
    Admin health = new Admin(mesh.proxy().address(Flag.HEALTH).orElseThrow());
    assertThat(health.get("/app").status()).isEqualTo(200);
    status.setStatus("", ServingStatus.NOT_SERVING);
    Await.until("the app's own state is told", () -> health.get("/app").status() == 503);
    assertThat(health.get("/app").body())
        .isEqualTo("app unix:" + socket + ": its health check says NOT_SERVING\n");
  }

  @Test
  void metricsHealthAndChannelzShowAServedAddress() throws Exception {
    mesh.with(Flag.ADMIN_GRPC, "127.0.0.1:0");
    app.kill();
    controlPlane.serve(listener(inline("/")));
    start();
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(mesh.proxy().address(Flag.ADMIN_GRPC).orElseThrow())
            .usePlaintext()
            .build();
    mesh.keep(() -> channel.shutdownNow().awaitTermination(60, TimeUnit.SECONDS));
    var health = HealthGrpc.newBlockingStub(channel);
    var pay = HealthCheckRequest.newBuilder().setService("pay").build();
    Await.until("known", () -> mesh.admin().get("/ready").body().contains("the app cannot"));
    Await.until(
        "not serving",
        () -> {
          try {
            return health.check(pay).getStatus() == ServingStatus.NOT_SERVING;
          } catch (StatusRuntimeException notKnownYet) {
            return false;
          }
        });
    assertThat(mesh.admin().get("/metrics").body())
        .contains("outrigger_serve_ready{serve=\"pay\"} 0.0\n");

    app.revive();
    awaitState("SERVING", "");
    Await.until("serving", () -> health.check(pay).getStatus() == ServingStatus.SERVING);
    assertThat(caller().call(METHOD).backend()).isEqualTo("app");
    Await.until(
        "the call is counted",
        () ->
            mesh.admin()
                .get("/metrics")
                .body()
                .contains("outrigger_requests_total{grpc_status=\"OK\",serve=\"pay\"} 1.0\n"));
    assertThat(mesh.admin().get("/metrics").body())
        .contains(
            "outrigger_requests_started_total{serve=\"pay\"} 1.0\n",
            "outrigger_downstream_connections{serve=\"pay\"} 1.0\n",
            "outrigger_serve_ready{serve=\"pay\"} 1.0\n");

    var channelz = ChannelzGrpc.newBlockingStub(channel);
    var server =
        channelz.getServers(GetServersRequest.getDefaultInstance()).getServerList().stream()
            .filter(each -> each.getRef().getName().equals("pay"))
            .findAny()
            .orElseThrow();
    assertThat(server.getData().getCallsSucceeded()).isEqualTo(1);
    var sockets =
        channelz.getServerSockets(
            GetServerSocketsRequest.newBuilder()
                .setServerId(server.getRef().getServerId())
                .build());
    assertThat(sockets.getSocketRefCount()).isEqualTo(1);
    var socket =
        channelz.getSocket(
            GetSocketRequest.newBuilder()
                .setSocketId(sockets.getSocketRef(0).getSocketId())
                .build());
    assertThat(socket.getSocket().getLocal().getTcpipAddress().getPort()).isEqualTo(port.number());
  }

  @Test
  void strangersDoNotLearnTheNode() throws Exception {
    controlPlane.serve(listener(inline("/test.")));
    start();
    awaitState("SERVING", "");

    App.Reply refused = caller().call("other.Pay/Charge");
    assertThat(refused.local()).isEqualTo("no_route");
    assertThat(refused.message()).doesNotContain(Mesh.NODE);
  }

  @Test
  void theNameOfAnAppIsLookedUpUntilItIsThereAndAgain() throws Exception {
    NameServer names = mesh.keep(new NameServer().ttl(0));
    mesh.backend("moved", "127.0.0.2", app.port());
    controlPlane.serve(listener(inline("/")));
    mesh.asking(names)
        .with(Flag.FORWARD)
        .with(Flag.SERVE, "pay@" + listen() + "=app.test:" + app.port())
        .with(Flag.DNS_REFRESH, "200ms")
        .start();
    awaitState("WAITING", "the app cannot be reached: DNS name \"app.test:" + app.port());
    assertThat(state().get("error").getAsString()).contains("NXDOMAIN");
    assertThat(isRefused(port.number())).isTrue();

    names.answer("app.test", "127.0.0.1");
    awaitState("SERVING", "");
    assertThat(caller().call(METHOD).backend()).isEqualTo("app");

    names.answer("app.test", "127.0.0.2");
    Await.until("the app is found again", () -> caller().call(METHOD).backend().equals("moved"));
  }

  @Test
  void anAppThatIsLostLeavesThePortOpen() throws Exception {
    startServing();
    assertThat(caller().call(METHOD).backend()).isEqualTo("app");

    app.kill();
    App.Reply reply = caller().call(METHOD);
    assertThat(reply.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(reply.local()).isEqualTo("app_unreachable");
    awaitState("SERVING", "the app cannot be reached: 127.0.0.1:" + app.port());
    assertThat(mesh.admin().get("/ready").status()).isEqualTo(503);

    app.revive();
    awaitState("SERVING", "");
    Await.until("ready", () -> mesh.admin().get("/ready").status() == 200);
  }
}
