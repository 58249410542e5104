package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.testing.JsonResources;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A control plane that dies, comes back and sends what is wrong. */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class ControlPlaneIT {
  private static final String NODE_NOTE = "xDS node ID: " + Mesh.NODE;

  private final Mesh mesh = new Mesh();
  private final ControlPlane controlPlane = mesh.controlPlane;

  @AfterEach
  void close() {
    mesh.close();
  }

  /** Everything to cluster {@code A} on these backends. */
  private void serveA(Backend... backends) {
    controlPlane.serve(
        Xds.cluster("A"),
        Xds.endpoints("A", backends),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
  }

  @Conformance({"A57-09", "A57-11", "A88-20", "SC-52"})
  @Test
  void aControlPlaneThatIsDownAtTheStartFailsRequestsUntilItComes() throws Exception {
    serveA(mesh.backend("a"));
    controlPlane.kill();
    mesh.start();
    App app = mesh.app();

    App.Reply refused = app.call("test.Pay/Charge");

    assertThat(refused.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(refused.message()).contains(controlPlane.target());
    assertThat(refused.local()).isEqualTo("xds_error");
    assertThat(mesh.admin().get("/ready").status()).isEqualTo(503);
    assertThat(mesh.admin().get("/live").status()).isEqualTo(200);
    controlPlane.revive();
    Await.until("requests succeed", () -> app.call("test.Pay/Charge").status().isOk());
    Await.until("it is ready", () -> mesh.admin().get("/ready").status() == 200);
  }

  @Conformance({"A57-10", "A57-11", "A88-21"})
  @Test
  void trafficGoesOnWhileTheControlPlaneIsDown() throws Exception {
    Backend a = mesh.backend("a");
    serveA(a);
    mesh.startReady();
    Load load = mesh.load(mesh.app(), "test.Pay/Charge", 100);
    load.awaitMore("a", 10);

    controlPlane.kill();
    Await.until(
        "the loss is known",
        () -> mesh.admin().get("/xds").object().toString().contains("lastError\""));
    load.awaitMore("a", 50);
    App newcomer = mesh.app();
    App.Reply reply = newcomer.call("test.Pay/Charge");
    assertThat(reply.backend()).isEqualTo("a");
    assertThat(reply.local()).isEmpty();
    assertThat(reply.trailers().toString()).doesNotContain(controlPlane.target());
    assertThat(mesh.admin().get("/ready").status()).isEqualTo(200);

    Backend b = mesh.backend("b");
    controlPlane.revive().serve(Xds.endpoints("A", b));
    load.awaitMore("b", 10);
    load.close();
    assertThat(load.failures()).isEmpty();
  }

  @Conformance({"A46-01", "A46-02", "A74-03"})
  @Test
  void oneBadResourceIsRefusedByNameAndTheOthersAreUsed() throws Exception {
    controlPlane.serve(
        Xds.cluster("A"),
        JsonResources.badCluster("bad"),
        Xds.cluster("B"),
        JsonResources.badCluster("worse"),
        Xds.endpoints("A", mesh.backend("a")),
        Xds.endpoints("B", mesh.backend("b")),
        Xds.listener("orders", "routes"),
        Xds.routes(
            "routes",
            Xds.host(
                "*",
                Xds.route("/a.", "A"),
                Xds.route("/b.", "B"),
                Xds.route("/bad.", "bad"),
                Xds.route("/worse.", "worse"))));
    mesh.startReady();
    App app = mesh.app();

    assertThat(app.call("a.Pay/Charge").backend()).isEqualTo("a");
    assertThat(app.call("b.Pay/Charge").backend()).isEqualTo("b");
    Await.until("the NACK has come", () -> !controlPlane.nacks().isEmpty());
    assertThat(controlPlane.nacks())
        .last()
        .asString()
        .contains("\"bad\"", "\"worse\"")
        .doesNotContain("\"A\"", "\"B\"");
    App.Reply reply = app.call("bad.Pay/Charge");
    assertThat(reply.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(reply.message()).contains("bad");

    controlPlane.serve(Xds.cluster("bad"), Xds.endpoints("bad", mesh.backend("better")));
    Await.until("the repaired one serves", () -> app.call("bad.Pay/Charge").status().isOk());
  }

  @Conformance({"A88-24", "SC-25", "SC-23"})
  @Test
  void aFailureNamesTheClusterTheConnectionErrorAndTheNode() throws Exception {
    Backend absent = mesh.absentBackend("a");
    serveA(absent);
    mesh.startReady();

    App.Reply reply = mesh.app().call("test.Pay/Charge");

    assertThat(reply.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(reply.local()).isEqualTo("no_healthy_upstream");
    assertThat(reply.message()).contains("A", "127.0.0.1:" + absent.port()).contains(NODE_NOTE);
    assertThat(reply.message().replace(")", "")).endsWith(NODE_NOTE);
  }

  @Conformance({"A88-22", "A88-27"})
  @Test
  void withBackendsAndControlPlaneGoneAFailureTellsBoth() throws Exception {
    Backend a = mesh.backend("a");
    serveA(a);
    mesh.startReady();
    App app = mesh.app();
    assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("a");

    controlPlane.kill();
    a.kill();
    Await.until(
        "the failure tells both",
        () -> app.call("test.Pay/Charge").message(),
        () -> {
          App.Reply reply = app.call("test.Pay/Charge");
          return reply.code() == Status.Code.UNAVAILABLE
              && reply.message().contains("127.0.0.1:" + a.port())
              && reply.message().contains(controlPlane.target());
        });

    controlPlane.revive();
    Await.until(
        "the note about the control plane goes",
        () -> app.call("test.Pay/Charge").message(),
        () -> {
          App.Reply reply = app.call("test.Pay/Charge");
          return reply.message().contains(NODE_NOTE)
              && !reply.message().contains(controlPlane.target());
        });
  }

  @Conformance({"A88-23", "A88-26", "A46-02"})
  @Test
  void aRefusedUpdateIsNotedWhereItConcernsAndForgottenWhenRepaired() throws Exception {
    controlPlane.serve(
        Xds.cluster("A"),
        Xds.cluster("B"),
        Xds.endpoints("A", mesh.absentBackend("a")),
        Xds.endpoints("B", mesh.absentBackend("b")),
        Xds.listener("orders", "routes"),
        routesAb("routes", ""));
    mesh.startReady();
    App app = mesh.app();
    assertThat(app.call("a.Pay/Charge").message()).contains(NODE_NOTE);

    controlPlane.serve(JsonResources.badCluster("A"));
    awaitMessage(app, "a.Pay/Charge", "cluster \"A\"", true);
    assertThat(app.call("b.Pay/Charge").message()).contains(NODE_NOTE);
    controlPlane.serve(Xds.cluster("A"));
    awaitMessage(app, "a.Pay/Charge", NODE_NOTE, true);

    controlPlane.serve(routesAb("routes", "(?=unsupported)"));
    awaitMessage(app, "a.Pay/Charge", "routes", true);
    awaitMessage(app, "b.Pay/Charge", "routes", true);
    // The data plane is told before the control plane has read the NACK.
    Await.until(
        "a NACK of the routes",
        () -> String.valueOf(controlPlane.nacks()),
        () -> controlPlane.nacks().stream().anyMatch(nack -> nack.contains("\"routes\"")));
    controlPlane.serve(routesAb("routes", ""));
    awaitMessage(app, "a.Pay/Charge", NODE_NOTE, true);
    awaitMessage(app, "b.Pay/Charge", NODE_NOTE, true);
  }

  /** Waits until a failure has {@code text}: it is the note, or part of it. */
  private static void awaitMessage(App app, String path, String text, boolean has) {
    Await.until(
        "a failure with " + text,
        () -> app.call(path).message(),
        () -> app.call(path).message().contains(text) == has);
  }

  /** With a third route whose regex is bad when {@code regex} is. */
  private static String routesAb(String name, String regex) {
    String third =
        """
        {"match":{"safe_regex":{"regex":"%s"}},"route":{"cluster":"A"}}"""
            .formatted(regex);
    return Xds.routes(name, Xds.host("*", Xds.route("/a.", "A"), Xds.route("/b.", "B"), third));
  }

  @Conformance({"A74-05", "A28-01"})
  @Test
  void aTargetWithoutVirtualHostFailsUntilOneComes() throws Exception {
    Backend a = mesh.backend("a");
    serveA(a);
    controlPlane.serve(Xds.routes("routes", Xds.host("elsewhere", Xds.route("", "A"))));
    mesh.start();
    App app = mesh.app();

    App.Reply reply = app.call("test.Pay/Charge");
    assertThat(reply.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(reply.message()).contains("orders", "virtual host");
    assertThat(a.started()).isZero();

    controlPlane.serve(Xds.routes("routes", Xds.host("ORDERS", Xds.route("", "A"))));
    Await.until("the host matches", () -> app.call("test.Pay/Charge").status().isOk());
  }

  @Conformance("A74-06")
  @Test
  void aListenerOfAServerIsNoTarget() throws Exception {
    controlPlane.serve(JsonResources.socketListener("orders"));
    mesh.start();

    App.Reply reply = mesh.app().call("test.Pay/Charge");

    assertThat(reply.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(reply.message()).contains("orders", "api_listener");
  }

  @Conformance("A74-07")
  @Test
  void aListenerThatChangesItsRoutesServesTheOldOnesMeanwhile() throws Exception {
    serveA(mesh.backend("a"));
    mesh.startReady();
    Load load = mesh.load(mesh.app(), "test.Pay/Charge", 100);
    load.awaitMore("a", 5);

    controlPlane.serve(Xds.listener("orders", "routes2"));
    Await.until(
        "the new routes are asked for",
        () -> controlPlane.subscribed(ResourceType.ROUTE).contains("routes2"));
    load.awaitMore("a", 20);
    assertThat(controlPlane.subscribed(ResourceType.ROUTE)).contains("routes");
    controlPlane.serve(
        Xds.cluster("B"), Xds.endpoints("B", mesh.backend("b")), Xds.routesTo("routes2", "B"));
    load.awaitMore("b", 10);
    load.close();

    assertThat(load.failures()).isEmpty();
    Await.until(
        "the old routes are let go",
        () -> !controlPlane.subscribed(ResourceType.ROUTE).contains("routes"));
  }

  @Conformance("A74-08")
  @Test
  void routesMoveIntoTheListenerAndOutAgain() throws Exception {
    controlPlane.serve(Xds.cluster("B"), Xds.endpoints("B", mesh.backend("b")));
    serveA(mesh.backend("a"));
    mesh.startReady();
    Load load = mesh.load(mesh.app(), "test.Pay/Charge", 100);
    load.awaitMore("a", 5);

    controlPlane.serve(Xds.inlineListener("orders", "B"));
    load.awaitMore("b", 20);
    controlPlane.serve(Xds.listener("orders", "routes"));
    load.awaitMore("a", 20);
    load.close();

    assertThat(load.failures()).isEmpty();
  }

  @Conformance({"A74-02", "A88-20"})
  @Test
  void aRefusedFirstListenerFailsRequestsAndALaterRefusalDoesNot() throws Exception {
    serveA(mesh.backend("a"));
    controlPlane.serve(badListener());
    mesh.start();
    App app = mesh.app();
    CompletableFuture<App.Reply> early = app.send("test.Pay/Charge");
    assertThat(App.join(early).code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(App.join(early).message()).contains("orders", "http_filters");

    controlPlane.serve(Xds.listener("orders", "routes"));
    Await.until("it serves", () -> app.call("test.Pay/Charge").status().isOk());
    int before = controlPlane.nacks().size();
    controlPlane.serve(badListener());
    Await.until("it is refused", () -> controlPlane.nacks().size() > before);

    assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("a");
  }

  /** Without any HTTP filter. */
  private static String badListener() {
    return Xds.listener("orders", "routes")
        .replaceAll("(?s)\"http_filters\":\\[.*?\\}\\}\\]", "\"http_filters\":[]");
  }
}
