package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.NameServer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Targets that a name server alone knows (CONTRACT section 12). */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class DnsIT {
  private static final String METHOD = "test.Pay/Charge";
  private static final int CALLS = 300;

  private final Mesh mesh = new Mesh();
  private final NameServer names = mesh.keep(new NameServer());

  @TempDir private Path folder;

  DnsIT() {
    mesh.asking(names).withoutBootstrap();
  }

  @AfterEach
  void close() {
    mesh.close();
  }

  private Mesh forwardTo(String target) {
    return mesh.with(Flag.FORWARD, Mesh.FORWARD + "@127.0.0.1:0=" + target);
  }

  private static String target(Backend backend) {
    return "dns:///pay.test:" + backend.port();
  }

  private Map<String, Integer> answersOf(App app, int calls) {
    Map<String, Integer> byBackend = new HashMap<>();
    for (int i = 0; i < calls; i++) {
      byBackend.merge(app.call(METHOD).backend(), 1, Integer::sum);
    }
    return byBackend;
  }

  private String lb() {
    return mesh.admin().get("/lb").body();
  }

  /** All of {@code backends} are connected to. */
  private void awaitReady(int backends) {
    Await.until(
        backends + " endpoints are READY",
        this::lb,
        () ->
            mesh.admin().get("/lb").body().split("\"health\"", -1).length - 1 == backends
                && !lb().contains("CONNECTING")
                && !lb().contains("IDLE"));
  }

  @Conformance("DI-08")
  @Test
  void callsGoToAllAddressesInTurnWithoutABootstrap() throws Exception {
    Backend first = mesh.backend("first");
    mesh.backend("second", "127.0.0.2", first.port());
    mesh.backend("third", "127.0.0.3", first.port());
    names.answer("pay.test", "127.0.0.1", "127.0.0.2", "127.0.0.3");
    forwardTo(target(first)).startReady();
    App app = mesh.app();
    Await.until("all three answer", () -> answersOf(app, 3).size() == 3);
    awaitReady(3);

    Map<String, Integer> answers = answersOf(app, CALLS);

    assertThat(answers).containsOnlyKeys("first", "second", "third");
    assertThat(answers.values()).allSatisfy(count -> assertThat(count).isBetween(90, 110));
    assertThat(first.lastHeard().authority()).isEqualTo("pay.test:" + first.port());
    Admin admin = mesh.admin();
    assertThat(admin.get("/forwards").body()).contains(target(first), "READY");
    assertThat(lb()).contains("round_robin", "127.0.0.3:" + first.port());
    assertThat(admin.get("/explain?path=/" + METHOD).body())
        .contains("\"cluster\": \"" + target(first), "round_robin")
        .doesNotContain("circuit_breaker", "4294967295"); // no limit is set
    assertThat(admin.get("/config_dump").body()).contains("STRICT_DNS");
    assertThat(admin.get("/events?format=json").body())
        .contains("\"kind\": \"dns\"", "resolved: 127.0.0.1, 127.0.0.2, 127.0.0.3");
    assertThat(admin.get("/metrics").body()).contains("grpc_target=\"" + target(first) + "\"");
  }

  @Conformance("DI-08")
  @Test
  void aNameThatDoesNotExistFailsCallsUntilItDoes() throws Exception {
    Backend backend = mesh.backend("a");
    forwardTo(target(backend)).start();
    App app = mesh.app();

    App.Reply reply = app.call(METHOD);

    assertThat(reply.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(reply.message()).contains("pay.test:" + backend.port(), "NXDOMAIN");
    assertThat(reply.message()).as("there is no control plane").doesNotContain("node ID");
    assertThat(reply.local()).isEqualTo("xds_error");
    Admin admin = mesh.admin();
    assertThat(admin.get("/ready").status()).isEqualTo(503);
    assertThat(admin.get("/ready").body()).contains("pay.test", "NXDOMAIN");
    assertThat(admin.get("/forwards").body()).contains("ERROR", "NXDOMAIN");
    assertThat(admin.get("/events?format=json").body()).contains("cannot be resolved");
    CompletableFuture<App.Reply> waiting = app.send(METHOD, App.WAIT_FOR_READY, "true");

    names.answer("pay.test", "127.0.0.1");

    assertThat(App.join(waiting).backend()).isEqualTo("a");
    Await.until("the sidecar is ready", () -> admin.get("/ready").status() == 200);
  }

  @Test
  void aControlPlaneThatNoTargetNeedsGetsNoConnection() throws Exception {
    try (var controlPlane = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Path bootstrap =
          Files.writeString(
              folder.resolve("bootstrap.json"),
              "{\"xds_servers\":[{\"server_uri\":\"127.0.0.1:%d\",\"channel_creds\":[{\"type\":\"insecure\"}]}]}"
                  .formatted(controlPlane.getLocalPort()));
      Backend backend = mesh.backend("a");
      names.answer("pay.test", "127.0.0.1");
      forwardTo(target(backend)).with(Flag.BOOTSTRAP, bootstrap.toString()).startReady();

      assertThat(mesh.app().call(METHOD).backend()).isEqualTo("a");

      controlPlane.setSoTimeout(200);
      assertThatThrownBy(controlPlane::accept).isInstanceOf(SocketTimeoutException.class);
    }
  }

  @Conformance("DI-08")
  @Test
  void aLostConnectionHasTheNameResolvedAgainAndNoCallOfTheOthersIsLost() throws Exception {
    Backend stays = mesh.backend("stays");
    Backend goes = mesh.backend("goes", "127.0.0.2", stays.port());
    mesh.backend("comes", "127.0.0.3", stays.port());
    names.answer("pay.test", "127.0.0.1", "127.0.0.2");
    forwardTo(target(stays)).with(Flag.DNS_REFRESH, "0s").startReady();
    App app = mesh.app();
    Await.until("both answer", () -> answersOf(app, 2).size() == 2);
    CompletableFuture<App.Reply> held = heldBy(stays, goes, app);
    int queries = names.queries();
    names.answer("pay.test", "127.0.0.3");

    goes.kill();

    Await.until(
        "the new address alone is used", // half a minute after the first answer
        this::lb,
        () -> lb().contains("127.0.0.3:") && !lb().contains("127.0.0.1:"));
    assertThat(names.queries()).isGreaterThan(queries);
    Await.until("it answers", () -> answersOf(app, 4).keySet().equals(Set.of("comes")));
    stays.release();
    assertThat(App.join(held).backend()).isEqualTo("stays");
  }

  /** A call that {@code backend} has, and {@code other} none. */
  private static CompletableFuture<App.Reply> heldBy(Backend backend, Backend other, App app) {
    while (true) {
      CompletableFuture<App.Reply> reply = app.send("test.Pay/Hold");
      Await.until("one of them has it", () -> backend.held() + other.held() == 1);
      if (backend.held() == 1) {
        return reply;
      }
      other.release();
      App.join(reply);
    }
  }

  /** Every backend is replaced, one after the other, while no connection breaks. */
  @Conformance("KN-09")
  @Test
  void changedNameMovesCallsWithoutALostOne() throws Exception {
    List<Backend> backends = new ArrayList<>(List.of(mesh.backend("b1").quiet()));
    int port = backends.get(0).port();
    for (int i = 2; i <= 4; i++) {
      backends.add(mesh.backend("b" + i, "127.0.0." + i, port).quiet());
    }
    names.ttl(0).answer("pay.test", "127.0.0.1", "127.0.0.2");
    forwardTo(target(backends.get(0))).with(Flag.DNS_REFRESH, "200ms").startReady();
    List<Load> loads = mesh.loads(METHOD, 200);

    for (int i = 2; i <= 3; i++) {
      names.answer("pay.test", "127.0.0." + i, "127.0.0." + (i + 1));
      String added = "b" + (i + 1);
      loads.forEach(load -> load.awaitMore(added, 20));
      int gone = i;
      Await.until("the old one is gone", this::lb, () -> !lb().contains("127.0.0." + (gone - 1)));
      Backend old = backends.get(i - 2);
      Await.until(
          "it gets no new call",
          () -> {
            long before = old.started();
            loads.forEach(load -> load.awaitMore(added, 20));
            return old.started() == before;
          });
    }

    loads.forEach(load -> assertThat(load.failures()).isEmpty());
  }

  @Conformance("DI-08")
  @Test
  void localPolicyEjectsABackendThatFails() throws Exception {
    Backend good = mesh.backend("good").quiet();
    Backend bad = mesh.backend("bad", "127.0.0.2", good.port()).quiet().answering(Status.INTERNAL);
    names.answer("pay.test", "127.0.0.1", "127.0.0.2");
    Path policy =
        Files.writeString(
            folder.resolve("policy.yaml"),
            """
            overlay:
            - name: eject
              clusters: ["dns:///*"]
              patch:
                outlier_detection: {interval: 0.3s, base_ejection_time: 300s,
                  max_ejection_percent: 50, enforcing_success_rate: 0,
                  enforcing_failure_percentage: 100, failure_percentage_threshold: 50,
                  failure_percentage_minimum_hosts: 1, failure_percentage_request_volume: 2}
            """);
    forwardTo(target(good)).with(Flag.OVERLAY, policy.toString()).startReady();

    List<Load> loads = mesh.loads(METHOD, 200);

    Await.until("bad is ejected", this::lb, () -> lb().contains("\"ejected\": {"));
    loads.forEach(load -> load.awaitMore("good", 50)); // calls picked before reach bad meanwhile
    long before = bad.started();
    loads.forEach(load -> load.awaitMore("good", 50));
    assertThat(bad.started()).isEqualTo(before);
    assertThat(mesh.admin().get("/overlay").body()).contains("outlier_detection.interval");
  }

  @Conformance("DI-08")
  @Test
  void aControlPlaneMayServeOtherTargetsAndLiteralsNeedNoNameServer() throws Exception {
    Backend mine = mesh.backend("mine");
    Backend theirs = mesh.backend("theirs");
    Mesh both = mesh.keep(new Mesh());
    both.controlPlane.serve(
        Xds.cluster("A"),
        Xds.endpoints("A", theirs),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
    both.with(
            Flag.FORWARD,
            Mesh.FORWARD + "@127.0.0.1:0=xds:///orders",
            "mine@127.0.0.1:0=dns:///127.0.0.1:" + mine.port())
        .startReady();

    assertThat(both.app().call(METHOD).backend()).isEqualTo("theirs");
    App app = both.keep(new App(both.address("mine")));
    assertThat(app.call(METHOD).backend()).isEqualTo("mine");
    assertThat(mine.lastHeard().authority()).isEqualTo("127.0.0.1:" + mine.port());
    assertThat(both.app().call(METHOD, "grpc-timeout", "soon").message()).contains("node ID");
    assertThat(app.call(METHOD, "grpc-timeout", "soon").message()).doesNotContain("node ID");
  }

  @Conformance("DI-08")
  @Test
  void aNameServerThatIsSilentOfOneNameHoldsUpNoOther() throws Exception {
    Backend backend = mesh.backend("a");
    names.answer("pay.test", "127.0.0.1").keepSilentOf("mute.test");
    mesh.asking(names, Duration.ofSeconds(4)) // an answer may be held up
        .with(
            Flag.FORWARD,
            Mesh.FORWARD + "@127.0.0.1:0=" + target(backend),
            "mute@127.0.0.1:0=dns:///mute.test:1")
        .start();

    assertThat(mesh.app().call(METHOD).backend()).isEqualTo("a");
    App.Reply reply = mesh.keep(new App(mesh.address("mute"))).call(METHOD);

    assertThat(reply.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(reply.message()).contains("mute.test:1", "no answer from 127.0.0.1:");
    assertThat(mesh.admin().get("/ready").body()).contains("forward mute has no configuration");
  }
}
