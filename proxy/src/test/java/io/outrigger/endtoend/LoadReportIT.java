package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.config.endpoint.v3.ClusterStats;
import io.grpc.Status;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.LoadServer;
import io.outrigger.xds.testing.LoadServer.Totals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Load reports to a control plane, and to one that does not take them. */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class LoadReportIT {
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final int LIMIT = 50;

  private final Mesh mesh = new Mesh();
  private final LoadServer loads = mesh.controlPlane.loads();

  @AfterEach
  void close() {
    mesh.close();
  }

  private void serve(String drops, String... localities) {
    mesh.controlPlane.serve(
        Xds.reportedCluster("A", LIMIT),
        Xds.endpointsDropping("A-eds", drops, localities),
        Xds.inlineListener("orders", "A"));
  }

  private Totals totals() {
    return loads.totals(Mesh.NODE, "A");
  }

  private void awaitTotals(Totals wanted) {
    Await.until("all of it is reported", () -> totals().toString(), () -> totals().equals(wanted));
  }

  @Conformance({"A27-12", "A64-02"})
  @Test
  void callsAreReportedByLocality() throws Exception {
    loads.askForAll(INTERVAL);
    Backend good = mesh.backend("good");
    Backend bad = mesh.backend("bad").answering(Status.UNAVAILABLE);
    serve("", Xds.locality("g", 0, 1, good), Xds.locality("b", 0, 1, bad));
    mesh.startReady();
    App app = mesh.app();

    CompletableFuture<App.Reply> held = holdAt(good, bad, app);
    for (int i = 0; i < 40; i++) {
      app.call("test.Pay/Charge");
    }

    long succeeded = good.started() - good.held();
    awaitTotals(
        new Totals(
            good.started() + bad.started(), succeeded, bad.started(), good.held(), 0, Map.of()));
    assertThat(inZone("g")).isEqualTo(List.of(good.started(), succeeded, 0L));
    assertThat(inZone("b")).isEqualTo(List.of(bad.started(), 0L, bad.started()));

    good.release();
    assertThat(App.join(held).backend()).isEqualTo("good");
    Await.until("the end is reported", () -> totals().inProgress() == 0);
    assertThat(totals().succeeded()).isEqualTo(good.started());
    ClusterStats last = loads.reports(Mesh.NODE, "A").get(0);
    assertThat(last.getClusterServiceName()).isEqualTo("A-eds");
  }

  /** A call that is held by {@code wanted}; those that go to {@code other} have ended. */
  private static CompletableFuture<App.Reply> holdAt(Backend wanted, Backend other, App app) {
    for (int i = 0; i < 1000; i++) {
      CompletableFuture<App.Reply> call = app.send("test.Pay/Hold");
      Await.until("the call is held", () -> wanted.held() + other.held() > 0);
      if (wanted.held() > 0) {
        return call;
      }
      other.release();
      App.join(call);
    }
    throw new AssertionError(wanted.name() + " got no call of a thousand");
  }

  private List<Long> inZone(String zone) {
    long issued = 0;
    long succeeded = 0;
    long failed = 0;
    for (ClusterStats stats : loads.reports(Mesh.NODE, "A")) {
      for (var locality : stats.getUpstreamLocalityStatsList()) {
        if (locality.getLocality().getZone().equals(zone)) {
          issued += locality.getTotalIssuedRequests();
          succeeded += locality.getTotalSuccessfulRequests();
          failed += locality.getTotalErrorRequests();
        }
      }
    }
    return List.of(issued, succeeded, failed);
  }

  @Conformance({"A27-10", "A27-12", "A32-08"})
  @Test
  void dropsAreReportedByCategoryAndRefusalsWithoutOne() throws Exception {
    loads.askForAll(INTERVAL);
    Backend backend = mesh.backend("own");
    serve("", Xds.locality("a", 0, 1, backend));
    mesh.startReady();
    App app = mesh.app();
    List<CompletableFuture<App.Reply>> held = new ArrayList<>();
    for (int i = 0; i < LIMIT; i++) {
      held.add(app.send("test.Pay/Hold"));
    }
    Await.until("as many are held as may be", () -> backend.held() == LIMIT);

    for (int i = 0; i < 3; i++) {
      assertThat(app.call("test.Pay/Charge").local()).isEqualTo("circuit_breaker");
    }
    serve(
        """
        {"category":"all","drop_percentage":{"numerator":100,"denominator":"HUNDRED"}}""",
        Xds.locality("a", 0, 1, backend));
    Await.until("calls are dropped", () -> app.call("test.Pay/Charge").local().equals("overload"));
    backend.release();
    held.forEach(App::join);

    Await.until(
        "all of it is reported",
        () -> totals().toString(),
        () -> totals().succeeded() == LIMIT && totals().drops().getOrDefault("all", 0L) >= 1);
    Totals totals = totals();
    assertThat(totals.dropped() - totals.drops().get("all")).isGreaterThanOrEqualTo(3);
    assertThat(totals.failed()).isZero();
    assertThat(totals.inProgress()).isZero();
  }

  @Conformance("A64-02")
  @Test
  void aBrokenStreamLosesNoCounts() throws Exception {
    loads.askForAll(INTERVAL);
    Backend backend = mesh.backend("own");
    serve("", Xds.locality("a", 0, 1, backend));
    mesh.startReady();
    App app = mesh.app();

    loads.refuseWith(Optional.of(Status.UNAVAILABLE)).breakStreams();
    Await.until("no stream is open", () -> loads.openStreams() == 0);
    for (int i = 0; i < 20; i++) {
      assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("own");
    }
    loads.refuseWith(Optional.empty());

    awaitTotals(new Totals(20, 20, 0, 0, 0, Map.of()));
  }

  @Conformance("A64-03")
  @Test
  void theServerMayAskForOtherClustersAtAnyTime() throws Exception {
    loads.askFor(INTERVAL, "unknown");
    Backend backend = mesh.backend("own");
    serve("", Xds.locality("a", 0, 1, backend));
    mesh.startReady();
    App app = mesh.app();
    assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("own");
    Await.until("reports come", () -> loads.requests(Mesh.NODE).size() >= 2);
    assertThat(loads.reports(Mesh.NODE, "A")).isEmpty();

    loads.askFor(INTERVAL, "unknown", "A");

    awaitTotals(new Totals(1, 1, 0, 0, 0, Map.of()));
  }

  @Conformance("A27-12")
  @Test
  void aServerThatTakesNoReportsChangesNothingForCalls() throws Exception {
    loads.refuseWith(Optional.of(Status.UNIMPLEMENTED));
    Backend backend = mesh.backend("own");
    serve("", Xds.locality("a", 0, 1, backend));
    mesh.startReady();
    App app = mesh.app();
    Await.until("it was asked twice", () -> loads.streams() >= 2);

    for (int i = 0; i < 10; i++) {
      assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("own");
    }
    assertThat(mesh.admin().get("/ready").status()).isEqualTo(200);

    loads.refuseWith(Optional.empty()).askForAll(INTERVAL);
    awaitTotals(new Totals(10, 10, 0, 0, 0, Map.of()));
  }

  @Conformance("A27-12")
  @Test
  void nothingIsReportedWithoutAnLrsServer() throws Exception {
    loads.askForAll(INTERVAL);
    Backend backend = mesh.backend("own");
    mesh.controlPlane.serve(
        Xds.cluster("A"), Xds.endpoints("A", backend), Xds.inlineListener("orders", "A"));
    mesh.startReady();
    App app = mesh.app();
    assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("own");

    assertThat(loads.streams()).isZero();

    mesh.controlPlane.serve(Xds.reportedCluster("A", LIMIT), Xds.endpoints("A-eds", backend));
    Await.until("reports come", () -> !loads.reports(Mesh.NODE, "A").isEmpty());
    mesh.controlPlane.serve(Xds.cluster("A"));
    Await.until("the stream is let go", () -> loads.openStreams() == 0);
    assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("own");
  }

  @Conformance("A71-09")
  @Test
  void theLoadOfAClusterGoesToTheServerThatSentIt() throws Exception {
    ControlPlane second = mesh.fallback();
    mesh.with(
        Flag.FORWARD, Mesh.FORWARD + "@127.0.0.1:0=xds:///orders", "late@127.0.0.1:0=xds:///late");
    Backend backend = mesh.backend("own");
    loads.askForAll(INTERVAL);
    second.loads().askForAll(INTERVAL);
    serve("", Xds.locality("a", 0, 1, backend));
    second.serve(
        Xds.reportedCluster("B", LIMIT),
        Xds.endpoints("B-eds", backend),
        Xds.inlineListener("late", "B"));
    mesh.start();
    App orders = mesh.app();
    Await.until("orders is there", () -> orders.call("test.Pay/Charge").status().isOk());
    Await.until("its load is reported", () -> totals().issued() > 0);

    mesh.controlPlane.kill();
    App late = mesh.keep(new App(mesh.address("late")));
    Await.until("late falls back", () -> late.call("test.Pay/Charge").status().isOk());
    for (int i = 0; i < 5; i++) {
      assertThat(orders.call("test.Pay/Charge").backend()).isEqualTo("own");
    }
    Await.until(
        "its load goes to the second", () -> second.loads().totals(Mesh.NODE, "B").issued() > 0);
    assertThat(second.loads().reports(Mesh.NODE, "A")).isEmpty();

    mesh.controlPlane.revive();
    Await.until(
        "what the first could not hear is told to it",
        () -> totals().toString(),
        () ->
            totals().issued() + second.loads().totals(Mesh.NODE, "B").issued()
                == backend.started());
    assertThat(second.loads().reports(Mesh.NODE, "A")).isEmpty();
  }

  @Test
  void theTreeNamesTheServerOfTheReports() throws Exception {
    loads.askForAll(INTERVAL);
    serve("", Xds.locality("a", 0, 1, mesh.backend("own")));
    mesh.startReady();

    assertThat(mesh.admin().get("/lb?detail=full").body())
        .contains("\"load_reports_to\": \"" + mesh.controlPlane.target() + "\"");
  }
}
