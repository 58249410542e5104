package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.ResourceType;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Updates of names, routes and clusters under traffic. */
@Timeout(600)
@ParameterizedClass(name = "{0} loops")
@ValueSource(ints = {1, 2})
@Execution(ExecutionMode.CONCURRENT)
class RouteUpdateIT {
  /** A filter that answers every request itself. */
  private static final String ABORTS =
      """
      {"name":"fault","typed_config":{
        "@type":"type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault",
        "abort":{"grpc_status":15,"percentage":{"numerator":100}}}}""";

  private final int loops;
  private final Mesh mesh;
  private final ControlPlane controlPlane;

  RouteUpdateIT(int loops) {
    this.loops = loops;
    mesh = new Mesh(loops);
    controlPlane = mesh.controlPlane;
  }

  @AfterEach
  void close() {
    mesh.close();
  }

  /** Serves cluster {@code name} with these backends. */
  private void cluster(String name, Backend... backends) {
    controlPlane.serve(Xds.cluster(name), Xds.endpoints(name, backends));
  }

  private void listener() {
    controlPlane.serve(Xds.listener("orders", "routes"));
  }

  @Conformance({"A31-10", "A31-13", "A74-01"})
  @Test
  void routesThatFlipUnderLoadFailNothing() throws Exception {
    Backend a = mesh.backend("a").quiet();
    Backend b = mesh.backend("b").quiet();
    Backend other = mesh.backend("other").quiet();
    cluster("A", a);
    cluster("B", b);
    cluster("other", other);
    listener();
    controlPlane.serve(flip("A"));
    mesh.startReady();
    Load load = mesh.load(mesh.app(), "test.Pay/Charge", 300);
    Load bystander = mesh.load(mesh.app(), "test.Other/Call", 50);

    // By calls, not by time: a slow machine makes as many with as many flips.
    for (int i = 0; i < 30; i++) {
      controlPlane.serve(flip("B"));
      load.awaitMore("b", 10);
      controlPlane.serve(flip("A"));
      load.awaitMore("a", 10);
    }
    load.close();
    bystander.close();

    assertThat(load.failures()).isEmpty();
    assertThat(bystander.failures()).isEmpty();
    assertThat(load.succeeded()).isEqualTo(load.sent());
    assertThat(load.by("a")).isGreaterThanOrEqualTo(300);
    assertThat(load.by("b")).isGreaterThanOrEqualTo(300);
    assertThat(other.connections()).isBetween(1, loops); // and never anew
  }

  private static String flip(String cluster) {
    return Xds.routes(
        "routes", Xds.host("*", Xds.route("/test.Other/", "other"), Xds.route("", cluster)));
  }

  @Conformance({"A31-10", "A74-01"})
  @Test
  void newRoutesWaitForTheirClusterWhileOldOnesServe() throws Exception {
    cluster("A", mesh.backend("a"));
    listener();
    controlPlane.serve(Xds.routesTo("routes", "A"));
    mesh.startReady();
    App app = mesh.app();
    assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("a");

    controlPlane.serve(Xds.routesTo("routes", "B"));
    Await.until(
        "cluster B is asked for",
        () -> controlPlane.subscribed(ResourceType.CLUSTER).contains("B"));
    for (int i = 0; i < 20; i++) {
      assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("a");
    }
    cluster("B", mesh.backend("b"));

    Await.until("B serves", () -> app.call("test.Pay/Charge").backend().equals("b"));
  }

  /** Each version names its domain and its cluster alike; a mix would show in the answers. */
  @Conformance("A31-14")
  @Test
  void aRequestSeesOneVersionOfRoutesAndVirtualHost() throws Exception {
    cluster("one", mesh.backend("one").quiet());
    cluster("two", mesh.backend("two").quiet());
    cluster("never", mesh.backend("never").quiet());
    listener();
    controlPlane.serve(version(true));
    mesh.startReady();
    Load load = mesh.load(mesh.app(), "test.Pay/Charge", 300);

    for (int i = 0; i < 20; i++) {
      controlPlane.serve(version(false));
      load.awaitMore("two", 5);
      controlPlane.serve(version(true));
      load.awaitMore("one", 5);
    }
    load.close();

    assertThat(load.failures()).isEmpty();
    assertThat(load.by("never")).isZero();
  }

  /**
   * In version one the exact host decides and its second route is a trap; in version two the
   * wildcard host decides, its first route is a trap. Settings of the one with routes of the other
   * lead to the trap.
   */
  private static String version(boolean one) {
    return one
        ? Xds.routes(
            "routes",
            Xds.host("orders", Xds.route("/test.Pay/", "one"), Xds.route("", "never")),
            Xds.host("*", Xds.route("", "never")))
        : Xds.routes(
            "routes",
            Xds.host("other", Xds.route("", "never")),
            Xds.host("*", Xds.route("/x/", "never"), Xds.route("", "two")));
  }

  @Conformance("A31-22")
  @Test
  void timeoutOffsetsHaveNoEffectInEitherMode() throws Exception {
    Backend backend = mesh.backend("a");
    cluster("A", backend);
    listener();
    controlPlane.serve(
        Xds.routes(
            "routes",
            Xds.host(
                "*",
                Xds.routeTo(
                    "/old.",
                    """
                    {"cluster":"A","timeout":"60s","max_grpc_timeout":"60s",
                     "grpc_timeout_offset":"29.5s"}\
                    """),
                Xds.routeTo(
                    "",
                    """
                    {"cluster":"A","max_stream_duration":
                      {"grpc_timeout_header_max":"60s","grpc_timeout_header_offset":"29.5s"}}\
                    """))));
    mesh.startReady();
    App app = mesh.app();

    for (String path : new String[] {"old.Pay/Charge", "new.Pay/Charge"}) {
      assertThat(App.join(app.send(path, Duration.ofSeconds(30))).backend()).isEqualTo("a");
      // With the offset it would be half a second; without, what a pause of the machine leaves.
      assertThat(remainingMillis(backend)).isBetween(10_000L, 30_000L);
    }
  }

  private void awaitOneQueued() {
    Await.until(
        "one request waits",
        () ->
            mesh.admin()
                .get("/metrics")
                .body()
                .contains("outrigger_requests_queued{forward=\"orders\"} 1"));
  }

  private static long remainingMillis(Backend backend) {
    String text = backend.lastHeard().header("grpc-timeout");
    long value = Long.parseLong(text.substring(0, text.length() - 1));
    return switch (text.charAt(text.length() - 1)) {
      case 'n' -> value / 1_000_000;
      case 'u' -> value / 1_000;
      case 'm' -> value;
      case 'S' -> value * 1_000;
      default -> throw new AssertionError(text);
    };
  }

  @Conformance({"A31-02", "A57-11"})
  @Test
  void requestsBeforeTheFirstConfigurationWaitForIt() throws Exception {
    Backend backend = mesh.backend("a");
    cluster("A", backend);
    controlPlane.mute(true);
    mesh.start();
    CompletableFuture<App.Reply> early = mesh.app().send("test.Pay/Charge", Duration.ofMinutes(60));
    awaitOneQueued();
    CompletableFuture<App.Reply> late = mesh.app().send("test.Pay/Charge", Duration.ofMillis(200));

    App.Reply tooLate = App.join(late);
    awaitOneQueued();
    assertThat(tooLate.code()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    assertThat(early).isNotDone();
    controlPlane.mute(false);
    listener();
    controlPlane.serve(Xds.routesTo("routes", "A"));

    assertThat(App.join(early).backend()).isEqualTo("a");
    assertThat(remainingMillis(backend)).isLessThan(3_599_900L);
    assertThat(backend.started()).isEqualTo(1);
  }

  @Conformance({"A31-05", "SC-23", "SC-25", "A88-24"})
  @Test
  void aRequestThatNoRouteMatchesIsAnsweredHere() throws Exception {
    Backend backend = mesh.backend("a");
    cluster("A", backend);
    listener();
    controlPlane.serve(Xds.routes("routes", Xds.host("*", Xds.route("/known.", "A"))));
    mesh.startReady();

    App.Reply reply = mesh.app().call("unknown.Pay/Charge");

    assertThat(reply.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(reply.message())
        .contains("orders", "/unknown.Pay/Charge")
        .endsWith("; xDS node ID: " + Mesh.NODE);
    assertThat(reply.local()).isEqualTo("no_route");
    assertThat(backend.started()).isZero();
  }

  @Conformance({"A31-06", "A31-07"})
  @Test
  void aRemovedClusterStaysUntilTheRequestThatChoseItIsOnItsWay() throws Exception {
    Backend removed = mesh.absentBackend("a");
    cluster("A", removed);
    cluster("B", mesh.backend("b"));
    listener();
    controlPlane.serve(Xds.routesTo("routes", "A"));
    mesh.startReady();
    CompletableFuture<App.Reply> waiting =
        mesh.app().send("test.Pay/Charge", App.WAIT_FOR_READY, "true");
    awaitOneQueued();

    controlPlane.serve(Xds.routesTo("routes", "B"));
    App app = mesh.app();
    Await.until("B serves", () -> app.call("test.Pay/Charge").status().isOk());
    assertThat(controlPlane.subscribed(ResourceType.CLUSTER)).contains("A", "B");
    assertThat(controlPlane.subscribed(ResourceType.ENDPOINT)).contains("A", "B");
    assertThat(waiting).isNotDone();
    removed.revive();

    assertThat(App.join(waiting).backend()).isEqualTo("a");
    Await.until(
        "A is no longer asked for",
        () ->
            !controlPlane.subscribed(ResourceType.CLUSTER).contains("A")
                && !controlPlane.subscribed(ResourceType.ENDPOINT).contains("A"));
  }

  @Conformance("A31-12")
  @Test
  void aRemovedClusterThatComesBackKeepsItsConnections() throws Exception {
    Backend a = mesh.backend("a");
    cluster("A", a);
    cluster("B", mesh.backend("b"));
    listener();
    controlPlane.serve(Xds.routesTo("routes", "A"));
    mesh.startReady();
    App app = mesh.app();
    CompletableFuture<App.Reply> held = app.send("test.Pay/Hold");
    Await.until("the call is held", () -> a.held() == 1);

    controlPlane.serve(Xds.routesTo("routes", "B"));
    Await.until("B serves", () -> app.call("test.Pay/Charge").backend().equals("b"));
    controlPlane.serve(Xds.routesTo("routes", "A"));
    Await.until("A serves again", () -> app.call("test.Pay/Charge").backend().equals("a"));
    a.release();

    assertThat(App.join(held).backend()).isEqualTo("a");
    assertThat(a.connections()).isBetween(1, loops);
  }

  @Conformance("A31-09")
  @Test
  void aDeletedClusterFailsAtOnceEvenForThoseThatWaitForReady() throws Exception {
    cluster("A", mesh.backend("a"));
    listener();
    controlPlane.serve(Xds.routesTo("routes", "A"));
    mesh.serverFeature("fail_on_data_errors").startReady();
    App app = mesh.app();
    assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("a");

    controlPlane.serve(Xds.routes("routes", Xds.host("*", Xds.route("", "gone"))));
    controlPlane.serve(Xds.cluster("gone"));
    controlPlane.serve(Xds.endpoints("gone", mesh.absentBackend("x")));
    Await.until("the new routes are in force", () -> !app.call("t/c").status().isOk());
    controlPlane.remove(ResourceType.CLUSTER, "gone");

    Await.until(
        "a request that waits for ready fails",
        () -> {
          App.Reply reply =
              App.join(app.send("t/c", Duration.ofSeconds(2), App.WAIT_FOR_READY, "true"));
          return reply.code() == Status.Code.UNAVAILABLE && reply.message().contains("gone");
        });
  }

  @Conformance({"A31-03", "A31-36"})
  @Test
  void routingIgnoresHealthAndRoutesShareAClustersConnections() throws Exception {
    Backend b = mesh.backend("b");
    cluster("A", mesh.absentBackend("a"));
    cluster("B", b);
    listener();
    controlPlane.serve(
        Xds.routes(
            "routes",
            Xds.host(
                "*",
                Xds.route("/direct.", "B"),
                Xds.routeTo(
                    "",
                    """
                    {"weighted_clusters":{"clusters":[
                      {"name":"A","weight":50},{"name":"B","weight":50}]}}\
                    """))));
    mesh.startReady();
    App app = mesh.app();

    int failed = 0;
    for (int i = 0; i < 200; i++) {
      App.Reply reply = app.call("test.Pay/Charge");
      if (!reply.status().isOk()) {
        failed++;
        assertThat(reply.code()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(reply.message()).contains("A");
      }
      assertThat(app.call("direct.Pay/Charge").backend()).isEqualTo("b");
    }

    assertThat(failed).isBetween(50, 150); // 7 standard deviations: one run in 10^11 fails
    assertThat(b.connections()).isBetween(1, loops);
  }

  @Conformance("A39-05")
  @Test
  void otherFiltersConcernOnlyNewRequests() throws Exception {
    Backend a = mesh.backend("a");
    cluster("A", a);
    controlPlane.serve(Xds.listener("orders", "routes"), Xds.routesTo("routes", "A"));
    mesh.startReady();
    App app = mesh.app();
    CompletableFuture<App.Reply> held = app.send("test.Pay/Hold");
    Await.until("the call is held", () -> a.held() == 1);

    for (int i = 0; i < 3; i++) {
      controlPlane.serve(Xds.filteredListener("orders", "routes", ABORTS));
      Await.until(
          "new requests meet the filter",
          () -> app.call("test.Pay/Charge").code() == Status.Code.DATA_LOSS);
      controlPlane.serve(Xds.listener("orders", "routes"));
      Await.until(
          "new requests meet none", () -> app.call("test.Pay/Charge").code() == Status.Code.OK);
    }
    assertThat(held).isNotDone();
    a.release();

    assertThat(App.join(held).backend()).isEqualTo("a");
    assertThat(a.connections()).isBetween(1, loops);
  }
}
