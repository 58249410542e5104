package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.testing.JsonResources;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** A88 with {@code fail_on_data_errors}: what the control plane drops, traffic loses. */
@Timeout(600)
@ParameterizedClass(name = "{0} loops")
@ValueSource(ints = {1, 2})
class FailModeIT {
  private final Mesh mesh;
  private final ControlPlane controlPlane;
  private final Backend a;
  private final Backend b;

  FailModeIT(int loops) {
    mesh = new Mesh(loops).serverFeature("fail_on_data_errors");
    b = mesh.backend("b");
    a = mesh.backend("a");
    controlPlane = mesh.controlPlane;
  }

  @BeforeEach
  void start() throws Exception {
    controlPlane.serve(
        Xds.cluster("A"),
        Xds.cluster("B"),
        Xds.endpoints("A", a),
        Xds.endpoints("B", b),
        Xds.listener("orders", "routes"),
        routes("B"));
    mesh.startReady();
    App app = mesh.app();
    assertThat(app.call("a.Pay/Charge").backend()).isEqualTo("a");
    assertThat(app.call("b.Pay/Charge").backend()).isEqualTo("b");
  }

  @AfterEach
  void close() {
    mesh.close();
  }

  private static String routes(String second) {
    return Xds.routes("routes", Xds.host("*", Xds.route("/a.", "A"), Xds.route("/b.", second)));
  }

  private void awaitFailure(String path, String words) {
    App app = mesh.app();
    Await.until(
        path + " fails",
        () -> {
          App.Reply reply = app.call(path);
          return reply.code() == Status.Code.UNAVAILABLE && reply.message().contains(words);
        });
  }

  private void awaitService(String path) {
    App app = mesh.app();
    Await.until(path + " works", () -> app.call(path).status().isOk());
  }

  @Conformance({"A88-05", "A88-30"})
  @Test
  void aDroppedListenerFailsItsTrafficUntilItIsBack() {
    controlPlane.remove(ResourceType.LISTENER, "orders");
    awaitFailure("a.Pay/Charge", "listener \"orders\" does not exist");

    controlPlane.serve(Xds.listener("orders", "routes"));
    awaitService("a.Pay/Charge");
  }

  @Conformance({"A88-02", "A88-31"})
  @Test
  void refusedRoutesFailTheTrafficUntilTheyAreRepaired() {
    controlPlane.serve(
        Xds.routes("routes", Xds.host("*", "{\"match\":{\"safe_regex\":{\"regex\":\"(\"}}}")));
    awaitFailure("a.Pay/Charge", "route configuration \"routes\"");
    awaitFailure("b.Pay/Charge", "route configuration \"routes\"");

    controlPlane.serve(routes("B"));
    awaitService("a.Pay/Charge");
  }

  @Conformance({"A88-05", "A88-32", "A31-09"})
  @Test
  void aDroppedClusterFailsOnlyWhatIsRoutedToItAndAnAggregatePassesItOver() {
    controlPlane.serve(JsonResources.aggregate("G", "B", "A"), routes("G"));
    Await.until(
        "the aggregate serves", () -> controlPlane.subscribed(ResourceType.CLUSTER).contains("G"));
    assertThat(mesh.app().call("b.Pay/Charge").backend()).isEqualTo("b");

    controlPlane.remove(ResourceType.CLUSTER, "B");
    App app = mesh.app();
    Await.until("the other serves", () -> "a".equals(app.call("b.Pay/Charge").backend()));
    controlPlane.serve(Xds.cluster("B"), routes("B"));
    awaitService("b.Pay/Charge");
    controlPlane.remove(ResourceType.CLUSTER, "B");
    awaitFailure("b.Pay/Charge", "cluster \"B\"");
    assertThat(app.call("a.Pay/Charge").backend()).isEqualTo("a");
  }

  @Conformance({"SC-21", "A88-32"})
  @Test
  void aCallThatWaitsForReadyOutlastsARefusedCluster() {
    controlPlane.serve(Xds.cluster("B", "MAGLEV"));
    awaitFailure("b.Pay/Charge", "cluster \"B\" is invalid: lb_policy: MAGLEV");
    assertThat(mesh.app().call("b.Pay/Charge").local()).isEqualTo("xds_error");
    var waiting = mesh.app().send("b.Pay/Charge", App.WAIT_FOR_READY, "true");
    awaitOneQueued();

    controlPlane.serve(Xds.cluster("B"));

    assertThat(App.join(waiting).backend()).isEqualTo("b");
  }

  @Conformance("A31-09")
  @Test
  void aCallThatWaitsForReadyFailsWithADeletedClusterInAnOutageToo() {
    controlPlane.remove(ResourceType.CLUSTER, "B");
    awaitFailure("b.Pay/Charge", "cluster \"B\" does not exist");
    controlPlane.kill();
    awaitFailure("b.Pay/Charge", "cannot be reached");

    App.Reply reply = App.join(mesh.app().send("b.Pay/Charge", App.WAIT_FOR_READY, "true"));

    assertThat(reply.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(reply.local()).isEqualTo("xds_error");
    assertThat(reply.message())
        .startsWith("cluster \"B\" does not exist")
        .containsOnlyOnce("cannot be reached");
  }

  @Conformance("A88-33")
  @Test
  void refusedEndpointsCloseTheClusterToNewCallsThoughItsConnectionsWork() {
    assertThat(b.openConnections()).isPositive();

    controlPlane.serve(Xds.endpoints("B", Xds.locality("x", 1, 1, List.of(1))));
    awaitFailure("b.Pay/Charge", "no locality with a weight has priority 0");
    Await.until("its connections are closed", () -> b.openConnections() == 0);
    App app = mesh.app();
    assertThat(IntStream.range(0, 20).mapToObj(i -> app.call("b.Pay/Charge").code()))
        .containsOnly(Status.Code.UNAVAILABLE);
    assertThat(app.call("a.Pay/Charge").backend()).isEqualTo("a");

    controlPlane.serve(Xds.endpoints("B", b));
    awaitService("b.Pay/Charge");
  }

  @Conformance("A31-06")
  @Test
  void aCallThatWaitsGetsTheNewEndpointsOfItsClusterThoughTheListenerIsGone() {
    Backend absent = mesh.absentBackend("absent");
    controlPlane.serve(Xds.endpoints("A", absent));
    awaitFailure("a.Pay/Charge", "127.0.0.1:" + absent.port());
    var waiting = mesh.app().send("a.Pay/Charge", App.WAIT_FOR_READY, "true");
    awaitOneQueued();

    controlPlane.remove(ResourceType.LISTENER, "orders");
    awaitFailure("b.Pay/Charge", "listener \"orders\" does not exist");
    controlPlane.serve(Xds.endpoints("A", a));

    assertThat(App.join(waiting).backend()).isEqualTo("a");
  }

  @Conformance("A31-41")
  @Test
  void troubleWithARemovedClusterReachesOnlyTheCallsThatHoldIt() {
    var sent = mesh.app().send("a.Pay/Hold");
    Await.until("a call is there", () -> a.held() == 1);
    controlPlane.serve(Xds.endpoints("A", mesh.absentBackend("absent")));
    awaitFailure("a.Pay/Charge", "127.0.0.1");
    var waiting = mesh.app().send("a.Pay/Charge", App.WAIT_FOR_READY, "true");
    awaitOneQueued();
    controlPlane.serve(Xds.routesTo("routes", "B"));
    awaitService("a.Pay/Charge");
    Load load = mesh.load(mesh.app(), "a.Pay/Charge", 200);
    load.awaitMore("b", 1);

    controlPlane.remove(ResourceType.CLUSTER, "A");

    assertThat(App.join(waiting).message()).contains("cluster \"A\"").contains("does not exist");
    load.awaitMore("b", 20);
    load.close();
    assertThat(load.failures()).isEmpty();
    a.release();
    assertThat(App.join(sent).backend()).as("it needs no other pick").isEqualTo("a");
  }

  private void awaitOneQueued() {
    Await.until(
        "a call waits",
        () ->
            mesh.admin()
                .get("/metrics")
                .body()
                .contains("outrigger_requests_queued{forward=\"orders\"} 1.0"));
  }
}
