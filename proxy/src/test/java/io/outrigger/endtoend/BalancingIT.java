package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.JsonResources;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Where requests go: weights, drops, limits, priorities and aggregates. */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class BalancingIT {
  private static final int BATCH = 100;

  private final Mesh mesh = new Mesh();
  private final ControlPlane controlPlane = mesh.controlPlane;

  @AfterEach
  void close() {
    mesh.close();
  }

  /** Everything to cluster {@code A} with these endpoints. */
  private void serveA(String endpoints) {
    controlPlane.serve(
        Xds.cluster("A"), endpoints, Xds.listener("orders", "routes"), Xds.routesTo("routes", "A"));
  }

  /** Makes {@code count} calls, some at a time, and counts the answers by backend or status. */
  private static Map<String, Integer> tally(App app, int count) {
    Map<String, Integer> tally = new TreeMap<>();
    for (int done = 0; done < count; done += BATCH) {
      List<CompletableFuture<App.Reply>> batch = new ArrayList<>();
      for (int i = 0; i < BATCH; i++) {
        batch.add(app.send("test.Pay/Charge"));
      }
      for (CompletableFuture<App.Reply> reply : batch) {
        App.Reply ended = App.join(reply);
        String key = ended.status().isOk() ? ended.backend() : ended.local();
        tally.merge(key, 1, Integer::sum);
      }
    }
    return tally;
  }

  @Conformance("A27-09")
  @Test
  void localitiesShareTrafficByWeightAmongThoseThatAreReady() throws Exception {
    Backend heavy = mesh.backend("heavy").quiet();
    Backend light = mesh.backend("light").quiet();
    Backend dead = mesh.absentBackend("dead");
    serveA(
        Xds.endpoints(
            "A",
            Xds.locality("heavy", 0, 3, heavy),
            Xds.locality("light", 0, 1, light),
            Xds.locality("dead", 0, 100, dead)));
    mesh.startReady();
    App app = mesh.app();
    Await.until("both are connected", () -> heavy.connections() > 0 && light.connections() > 0);
    Await.until("all go well", () -> !tally(app, BATCH).containsKey("no_healthy_upstream"));

    Map<String, Integer> tally = tally(app, 4_000);

    assertThat(tally).containsOnlyKeys("heavy", "light");
    assertThat(tally.get("heavy")).isBetween(2_800, 3_200); // 7.3 standard deviations: 1 in 10^12
  }

  /** Trees are built one after the other (decision lb-0053), also when no call waits for them. */
  @Test
  void everyClusterOfTheRoutesIsConnectedWithoutACall() throws Exception {
    List<Backend> backends = List.of(mesh.backend("a"), mesh.backend("b"), mesh.backend("c"));
    List<String> resources = new ArrayList<>(List.of(Xds.listener("orders", "routes")));
    List<String> routes = new ArrayList<>();
    for (Backend backend : backends) {
      resources.add(Xds.cluster(backend.name()));
      resources.add(Xds.endpoints(backend.name(), backend));
      routes.add(Xds.route("/" + backend.name(), backend.name()));
    }
    resources.add(Xds.routes("routes", Xds.host("*", routes.toArray(String[]::new))));
    controlPlane.serve(resources.toArray(String[]::new));

    mesh.startReady();

    Await.until(
        "all are connected",
        () -> backends.stream().allMatch(backend -> backend.openConnections() > 0));
  }

  @Conformance({"A27-10", "A27-11", "SC-21"})
  @Test
  void dropsTakeTheirShareEvenOfThoseThatWaitForReady() throws Exception {
    Backend a = mesh.backend("a").quiet();
    serveA(
        Xds.endpointsDropping(
            "A",
            """
            {"category":"lottery","drop_percentage":{"numerator":30,"denominator":"HUNDRED"}}""",
            Xds.locality("a", 0, 1, a)));
    mesh.startReady();
    App app = mesh.app();

    Map<String, Integer> tally = tally(app, 2_000);

    assertThat(tally).containsOnlyKeys("a", "overload");
    assertThat(tally.get("overload")).isBetween(450, 750); // 7.3 standard deviations: 1 in 10^12
    assertThat(a.started()).isEqualTo(tally.get("a").longValue());

    serveA(
        Xds.endpointsDropping(
            "A",
            """
            {"category":"all","drop_percentage":{"numerator":1000000,"denominator":"MILLION"}}""",
            Xds.locality("a", 0, 1, a)));
    Await.until("all are dropped", () -> tally(app, 20).keySet().equals(Set.of("overload")));
    App.Reply waiting = app.call("test.Pay/Charge", App.WAIT_FOR_READY, "true");
    assertThat(waiting.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(waiting.local()).isEqualTo("overload");
  }

  @Conformance({"A32-02", "A32-03", "A32-04", "A32-05"})
  @Test
  void requestsOverTheLimitAreRefusedAtOnceAndLoweringItCutsNothing() throws Exception {
    Backend a = mesh.backend("a");
    serveA(Xds.endpoints("A", a));
    controlPlane.serve(Xds.cluster("A", 4));
    mesh.startReady();
    App app = mesh.app();
    List<CompletableFuture<App.Reply>> held = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      held.add(app.send("test.Pay/Hold"));
    }
    Await.until("four are in flight", () -> a.held() == 4);

    App.Reply fifth = mesh.app().call("test.Pay/Charge", App.WAIT_FOR_READY, "true");
    assertThat(fifth.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(fifth.local()).isEqualTo("circuit_breaker");

    controlPlane.serve(Xds.cluster("A", 2));
    Await.until(
        "the lower limit is in force",
        () -> mesh.admin().get("/lb").body(),
        () -> mesh.admin().get("/lb").body().contains("\"max_requests\": 2"));
    assertThat(app.call("test.Pay/Charge").local()).isEqualTo("circuit_breaker");
    assertThat(held).noneMatch(CompletableFuture::isDone);
    a.release();
    for (CompletableFuture<App.Reply> call : held) {
      assertThat(App.join(call).backend()).isEqualTo("a");
    }
    Await.until("there is room again", () -> app.call("test.Pay/Charge").status().isOk());
    assertThat(a.heard()).filteredOn(call -> call.path().endsWith("/Hold")).hasSize(4);
  }

  @Conformance({"A32-06", "A32-07"})
  @Test
  void manyAtOnceNeverExceedTheLimitAndZeroRefusesAll() throws Exception {
    Backend a = mesh.backend("a").quiet();
    serveA(Xds.endpoints("A", a));
    controlPlane.serve(Xds.cluster("A", 10));
    mesh.startReady();
    List<CompletableFuture<App.Reply>> calls = new ArrayList<>();
    List<App> apps = List.of(mesh.app(), mesh.app(), mesh.app(), mesh.app());
    for (int i = 0; i < 500; i++) {
      for (App app : apps) {
        calls.add(app.send("test.Pay/Charge"));
      }
    }
    List<App.Reply> replies = calls.stream().map(App::join).toList();

    assertThat(a.most()).isBetween(1, 10);
    assertThat(replies).anyMatch(reply -> reply.status().isOk());
    assertThat(replies)
        .allMatch(reply -> reply.status().isOk() || reply.local().equals("circuit_breaker"));

    controlPlane.serve(Xds.cluster("A", 0));
    App app = mesh.app();
    Await.until(
        "all are refused", () -> app.call("test.Pay/Charge").local().equals("circuit_breaker"));
  }

  @Conformance("SC-45")
  @Test
  void oneConnectionOfAnAppIsSpreadOverAllBackends() throws Exception {
    Backend a = mesh.backend("a");
    Backend b = mesh.backend("b");
    Backend c = mesh.backend("c");
    serveA(Xds.endpoints("A", a, b, c));
    mesh.startReady();
    App app = mesh.app();
    Await.until(
        "all are connected",
        () -> {
          app.call("test.Pay/Charge");
          return a.started() > 0 && b.started() > 0 && c.started() > 0;
        });

    Map<String, Integer> tally = tally(app, 300);

    assertThat(tally).containsOnlyKeys("a", "b", "c");
    assertThat(tally.values()).allMatch(count -> count >= 95 && count <= 105);
  }

  @Conformance({"A56-02", "A56-06", "A56-11"})
  @Test
  void trafficFailsOverAndBackAtTheCostOfBrokenStreamsOnly() throws Exception {
    Backend first = mesh.backend("first").quiet();
    Backend second = mesh.backend("second").quiet();
    serveA(Xds.endpoints("A", Xds.locality("a", 0, 1, first), Xds.locality("b", 1, 1, second)));
    mesh.startReady();
    Load load = mesh.load(mesh.app(), "test.Pay/Charge", 300);
    App app = mesh.app();
    load.awaitMore("first", 50);
    assertThat(second.connections()).isZero();
    CompletableFuture<App.Reply> held = app.send("test.Pay/Hold");
    Await.until("the call is held", () -> first.held() == 1);

    first.kill();
    load.awaitMore("second", 50);
    assertThat(App.join(held).code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(load.failures().keySet())
        .allMatch(failure -> failure.contains("connection to 127.0.0.1:" + first.port() + " lost"));
    long failed = load.failed();

    first.revive();
    load.awaitMore("first", 100);
    load.close();
    assertThat(load.failed()).isEqualTo(failed);
    assertThat(tally(app, BATCH)).containsOnlyKeys("first");
  }

  @Conformance({"A56-09", "A56-10"})
  @Test
  void prioritiesThatSwapLocalitiesFailNothing() throws Exception {
    Backend a = mesh.backend("a").quiet();
    Backend b = mesh.backend("b").quiet();
    serveA(Xds.endpoints("A", Xds.locality("a", 0, 1, a), Xds.locality("b", 1, 1, b)));
    mesh.startReady();
    List<Load> loads = mesh.loads("test.Pay/Charge", 200);
    loads.forEach(load -> load.awaitMore("a", 10));

    for (int i = 0; i < 3; i++) {
      controlPlane.serve(
          Xds.endpoints("A", Xds.locality("a", 1, 1, a), Xds.locality("b", 0, 1, b)));
      loads.forEach(load -> load.awaitMore("b", 20));
      controlPlane.serve(
          Xds.endpoints("A", Xds.locality("a", 0, 1, a), Xds.locality("b", 1, 1, b)));
      loads.forEach(load -> load.awaitMore("a", 20));
    }
    loads.forEach(Load::close);

    assertThat(loads).allSatisfy(load -> assertThat(load.failures()).isEmpty());
    assertThat(a.connections()).isEqualTo(mesh.loops);
    assertThat(b.connections()).isEqualTo(mesh.loops);
  }

  @Conformance("A75-01")
  @Test
  void anAggregateUsesItsClustersInOrderWithAllTheirPriorities() throws Exception {
    Backend primary = mesh.backend("primary").quiet();
    Backend secondary = mesh.backend("secondary").quiet();
    Backend fallback = mesh.backend("fallback").quiet();
    controlPlane.serve(
        JsonResources.aggregate("both", "A", "B"),
        Xds.cluster("A"),
        Xds.cluster("B"),
        Xds.endpoints("A", Xds.locality("a", 0, 1, primary), Xds.locality("b", 1, 1, secondary)),
        Xds.endpoints("B", fallback),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "both"));
    mesh.startReady();
    App app = mesh.app();
    assertThat(tally(app, BATCH)).containsOnlyKeys("primary");

    primary.kill();
    Await.until("the second priority serves", () -> answer(app).equals("secondary"));
    assertThat(fallback.connections()).isZero();
    secondary.kill();
    Await.until("the second cluster serves", () -> answer(app).equals("fallback"));
    secondary.revive();
    Await.until("the first cluster is back", () -> answer(app).equals("secondary"));
    primary.revive();
    Await.until("the first priority is back", () -> answer(app).equals("primary"));
  }

  private static String answer(App app) {
    App.Reply reply = app.call("test.Pay/Charge");
    return reply.status().isOk() ? reply.backend() : reply.message();
  }

  @Conformance("A37-10")
  @Test
  void failoverFromEndpointsToDnsAndBackLosesNothing() throws Exception {
    Backend a = mesh.backend("a").quiet();
    Backend named = mesh.backend("named").quiet();
    controlPlane.serve(
        JsonResources.aggregate("both", "A", "dns"),
        Xds.cluster("A"),
        Xds.dns("dns", "localhost", named.port()),
        Xds.endpoints("A", a),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "both"));
    mesh.startReady();
    Load load = mesh.load(mesh.app(), "test.Pay/Charge", 100);
    load.awaitMore("a", 10);

    a.leave();
    load.awaitMore("named", 20);
    awaitLeft(a);
    a.revive();
    load.awaitMore("a", 20);
    load.close();

    assertThat(load.failures()).isEmpty();
  }

  @Conformance("SC-35")
  @Test
  void aBackendThatGoesAwayPolitelyCostsNothing() throws Exception {
    Backend a = mesh.backend("a").quiet();
    Backend b = mesh.backend("b").quiet();
    serveA(Xds.endpoints("A", a, b));
    mesh.startReady();
    App app = mesh.app();
    Load load = mesh.load(mesh.app(), "test.Pay/Charge", 300);
    load.awaitMore("a", 20);
    load.awaitMore("b", 20);
    List<CompletableFuture<App.Reply>> held = new ArrayList<>();
    while (a.held() == 0 || b.held() == 0) { // the load takes its turns in between
      int before = held.size();
      held.add(app.send("test.Pay/Hold"));
      Await.until("it is held", () -> a.held() + b.held() > before);
    }

    a.leave();
    load.awaitMore("b", 100);
    assertThat(held).noneMatch(CompletableFuture::isDone);
    a.release();
    b.release();
    for (CompletableFuture<App.Reply> call : held) {
      assertThat(App.join(call).status().isOk()).isTrue();
    }
    awaitLeft(a);
    a.revive();
    load.awaitMore("a", 20);
    load.close();

    assertThat(load.failures()).isEmpty();
  }

  /** Until what it was asked before it said GOAWAY is answered; to come back cuts what is left. */
  private static void awaitLeft(Backend backend) {
    Await.until("nobody is connected to it", () -> backend.openConnections() == 0);
  }
}
