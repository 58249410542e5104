package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.grpc.Metadata;
import io.grpc.Status;
import io.outrigger.base.WaitingClock;
import io.outrigger.http2.testing.RawPeer;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.ResourceType;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** From a local port to a target, and what backends get to see. */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class TargetsIT {
  private final Mesh mesh = new Mesh();
  private final ControlPlane controlPlane = mesh.controlPlane;

  @TempDir Path folder;

  @AfterEach
  void close() {
    mesh.close();
  }

  /** A target whose only virtual host is {@code domain}, on a backend of that name. */
  private Backend target(String name, String domain) {
    Backend backend = mesh.backend(name);
    controlPlane.serve(
        Xds.cluster(name),
        Xds.endpoints(name, backend),
        Xds.listener(name, name + "-routes"),
        Xds.routes(name + "-routes", Xds.host(domain, Xds.route("", name))));
    return backend;
  }

  @Conformance({"SC-02", "SC-32", "SC-43"})
  @Test
  void aPortIsBoundToItsTargetWhateverTheAppCallsIt() throws Exception {
    Backend orders = target("orders", "orders");
    Backend users = target("users", "users");
    mesh.with(Flag.FORWARD, "orders@127.0.0.1:0=xds:///orders", "users@127.0.0.1:0=xds:///users")
        .startReady();
    App toOrders = mesh.appFor("users");
    App toUsers = mesh.keep(new App(mesh.address("users"), "orders"));

    assertThat(toOrders.call("test.Pay/Charge").backend()).isEqualTo("orders");
    assertThat(toUsers.call("test.Pay/Charge").backend()).isEqualTo("users");

    assertThat(orders.lastHeard().authority()).isEqualTo("orders");
    assertThat(users.lastHeard().authority()).isEqualTo("users");
    Metadata headers = orders.lastHeard().headers();
    assertThat(headers.toString()).doesNotContain(Mesh.NODE).doesNotContain(controlPlane.target());
  }

  @Conformance({"SC-02", "SC-32"})
  @Test
  void behindAStarTheAuthorityNamesTheTarget() throws Exception {
    Backend orders = target("orders", "orders");
    Backend users = target("users", "users");
    mesh.with(Flag.FORWARD, "orders@127.0.0.1:0=xds:///*").startReady();

    assertThat(mesh.appFor("orders").call("test.Pay/Charge").backend()).isEqualTo("orders");
    assertThat(mesh.appFor("users").call("test.Pay/Charge").backend()).isEqualTo("users");
    assertThat(orders.lastHeard().authority()).isEqualTo("orders");
    assertThat(users.lastHeard().authority()).isEqualTo("users");
    assertThat(mesh.admin().get("/forwards").array().get(0).getAsJsonObject().get("target"))
        .hasToString("\"xds:///*\"");
  }

  /** The one test that waits for the 15 s of A57 in real time. */
  @Conformance("SC-03")
  @Test
  void anAuthorityWithoutListenerFailsOnceItIsKnownToBeMissing() throws Exception {
    target("orders", "orders");
    mesh.with(Flag.FORWARD, "orders@127.0.0.1:0=xds:///*").with(Flag.MAX_TARGETS, "2").startReady();
    App lost = mesh.appFor("nowhere");
    long start = WaitingClock.nanoTime();
    var first = lost.send("test.Pay/Charge");
    Await.until(
        "it waits",
        () ->
            mesh.admin()
                .get("/metrics")
                .body()
                .contains("outrigger_requests_queued{forward=\"orders\"} 1"));

    assertThat(mesh.appFor("orders").call("test.Pay/Charge").backend()).isEqualTo("orders");
    App.Reply third = mesh.appFor("users").call("test.Pay/Charge");
    assertThat(third.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(third.message()).contains("--max-targets");
    assertThat(third.local()).isEqualTo("overload");

    App.Reply missing = App.join(first);
    assertThat(missing.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(missing.message()).contains("nowhere", "does not exist");
    assertThat(since(start)).isGreaterThanOrEqualTo(Duration.ofSeconds(15));
    Await.until( // each call would take 15 s again if it were not known
        "a later call fails at once",
        () -> {
          long again = WaitingClock.nanoTime();
          assertThat(lost.call("test.Pay/Charge").code()).isEqualTo(Status.Code.UNAVAILABLE);
          return since(again).compareTo(Duration.ofSeconds(10)) < 0;
        });
    assertThat(timesWatched("nowhere")).isEqualTo(1);
  }

  private static Duration since(long nanos) {
    return Duration.ofNanos(WaitingClock.nanoTime() - nanos);
  }

  /** How often the sidecar began to ask for a listener. */
  private int timesWatched(String listener) {
    int times = 0;
    boolean before = false;
    for (DiscoveryRequest request : controlPlane.requests()) {
      if (request.getTypeUrl().equals(ResourceType.LISTENER.typeUrl())) {
        boolean now = request.getResourceNamesList().contains(listener);
        if (now && !before) {
          times++;
        }
        before = now;
      }
    }
    return times;
  }

  @Test
  void preserveKeepsTheAppsAuthorityAndMatchesIt() throws Exception {
    Backend orders = target("orders", "shop.example");
    mesh.with(Flag.AUTHORITY, "preserve").start();

    assertThat(mesh.appFor("shop.example").call("test.Pay/Charge").backend()).isEqualTo("orders");
    assertThat(orders.lastHeard().authority()).isEqualTo("shop.example");
    App.Reply other = mesh.appFor("other.example").call("test.Pay/Charge");
    assertThat(other.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(other.message()).contains("other.example");
    assertThat(orders.started()).isEqualTo(1);
  }

  @Test
  void aFixedAuthorityIsSentAndMatched() throws Exception {
    Backend orders = target("orders", "fixed.example");
    mesh.with(Flag.AUTHORITY, "fixed.example").startReady();

    assertThat(mesh.appFor("other.example").call("test.Pay/Charge").backend()).isEqualTo("orders");
    assertThat(orders.lastHeard().authority()).isEqualTo("fixed.example");
  }

  @Test
  void aUnixSocketIsAPortLikeAnyOther() throws Exception {
    target("orders", "orders");
    Path socket = folder.resolve("orders.sock");
    mesh.with(Flag.FORWARD, "orders@unix:" + socket + "=xds:///orders").startReady();
    RawPeer peers = mesh.keep(new RawPeer());

    var app =
        peers
            .connect(socket)
            .request(
                WaitingIT.request("/test.Pay/Charge", "content-type", "application/grpc"), true);

    assertThat(app.next()).startsWith("H(:status=200");
    assertThat(app.next()).contains("orders");
    assertThat(app.next()).contains("grpc-status=0").endsWith("!");
    assertThat(mesh.admin().get("/forwards").body()).contains("unix:" + socket);
  }
}
