package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.xds.testing.ScriptedApiServer;
import io.outrigger.xds.testing.SliceText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Targets that are services of Kubernetes (CONTRACT section 15). */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class KubernetesIT {
  private static final TestAuthority AUTHORITY = TestAuthority.named("cluster");
  private static final String METHOD = "test.Pay/Charge";
  private static final String TARGET = "k8s:///orders.shop:grpc";

  private final Mesh mesh = new Mesh();
  private final ScriptedApiServer api;

  @TempDir private Path folder;

  KubernetesIT() {
    api = mesh.keep(new ScriptedApiServer(AUTHORITY.issue("ip:127.0.0.1")));
    mesh.withoutBootstrap();
  }

  @AfterEach
  void close() {
    mesh.close();
  }

  private void start(String target) throws Exception {
    Path kubeconfig = api.writeKubeconfig(folder, AUTHORITY.rootPem());
    mesh.with(Flag.FORWARD, Mesh.FORWARD + "@127.0.0.1:0=" + target)
        .with(Flag.KUBECONFIG, kubeconfig.toString())
        .start();
  }

  private static SliceText slice(int port, String... ips) {
    return SliceText.of("orders-1", "orders").port("grpc", port).ready(ips);
  }

  /** {@code count} backends at one port of 127.0.0.1, .2 and so on. */
  private List<Backend> backends(int count) {
    List<Backend> backends = new ArrayList<>(List.of(mesh.backend("b1").quiet()));
    for (int i = 2; i <= count; i++) {
      backends.add(mesh.backend("b" + i, "127.0.0." + i, backends.get(0).port()).quiet());
    }
    return backends;
  }

  private String lb() {
    return mesh.admin().get("/lb").body();
  }

  @Conformance({"KN-01", "KN-05"})
  @Test
  void callsGoToThePodsOfAService() throws Exception {
    Backend backend = mesh.backend("b1");
    start("k8s:///orders.shop:" + backend.port());
    App app = mesh.app();
    App.Reply reply = app.call(METHOD);
    assertThat(reply.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(reply.message())
        .contains("kubernetes service \"orders.shop\" has no EndpointSlices");
    assertThat(mesh.admin().get("/ready").body()).contains("orders.shop");
    CompletableFuture<App.Reply> waiting = app.send(METHOD, App.WAIT_FOR_READY, "true");

    api.put(slice(backend.port(), "127.0.0.1"));

    assertThat(App.join(waiting).backend()).isEqualTo("b1");
    Await.until("the sidecar is ready", () -> mesh.admin().get("/ready").status() == 200);
    assertThat(backend.lastHeard().authority()).isEqualTo("orders.shop:" + backend.port());
    String target = "k8s:///orders.shop:" + backend.port();
    assertThat(mesh.admin().get("/forwards").body()).contains(target, "READY");
    assertThat(mesh.admin().get("/explain?path=/" + METHOD).body())
        .contains("\"cluster\": \"" + target);
    for (String page : List.of("/config_dump", "/events?format=json", "/xds", "/forwards")) {
      assertThat(mesh.admin().get(page).body()).doesNotContain(ScriptedApiServer.TOKEN);
    }
  }

  /** Twelve pods are replaced one after the other, as a rollout does, while calls run. */
  @Conformance({"KN-02", "KN-03"})
  @Test
  void aRolloutLosesNoCallAndNewPodsGetCallsAtOnce() throws Exception {
    List<Backend> backends = backends(8);
    int port = backends.get(0).port();
    api.put(slice(port, "127.0.0.1", "127.0.0.2"));
    start(TARGET);
    List<Load> loads = mesh.loads(METHOD, 400);
    loads.forEach(load -> load.awaitMore("b2", 20));

    for (int i = 1; i <= 6; i++) {
      Backend old = backends.get(i - 1);
      String ready = "127.0.0." + (i + 1);
      String added = "127.0.0." + (i + 2);
      api.put(slice(port, ready, added).draining("127.0.0." + i));
      String name = "b" + (i + 2);
      assertThat(Await.within(Duration.ofSeconds(2), () -> loads.get(0).by(name) > 0))
          .as(name + " gets calls within 2 s")
          .isTrue();
      awaitNoMoreCalls(old, name, loads);
      api.put(slice(port, ready, added));
      old.close();
    }

    loads.forEach(load -> assertThat(load.failures()).isEmpty());
  }

  /** Calls that were sent to {@code old} before may start late where the machine is busy. */
  private static void awaitNoMoreCalls(Backend old, String added, List<Load> loads) {
    Await.until(
        "a pod that terminates gets no new call",
        () -> {
          long started = old.started();
          loads.forEach(load -> load.awaitMore(added, 20));
          return old.started() == started;
        });
  }

  @Conformance("KN-03")
  @Test
  void aCallOfAPodThatTerminatesIsFinished() throws Exception {
    List<Backend> backends = backends(2);
    int port = backends.get(0).port();
    api.put(slice(port, "127.0.0.1"));
    start(TARGET);
    App app = mesh.app();
    CompletableFuture<App.Reply> held = app.send("test.Pay/Hold", App.WAIT_FOR_READY, "true");
    Await.until("it is held", () -> backends.get(0).held() == 1);

    api.put(slice(port, "127.0.0.2").draining("127.0.0.1"));
    Await.until("b2 answers", () -> app.call(METHOD).backend().equals("b2"));
    api.put(slice(port, "127.0.0.2"));
    Await.until("b1 is gone", this::lb, () -> !lb().contains("127.0.0.1:"));

    backends.get(0).release();
    assertThat(App.join(held).backend()).isEqualTo("b1");
  }

  @Conformance("KN-06")
  @Test
  void eachEndpointGetsTheSameShareWhateverItsZone() throws Exception {
    List<Backend> backends = backends(4);
    api.put(
        SliceText.of("orders-1", "orders")
            .port("grpc", backends.get(0).port())
            .ready("127.0.0.1")
            .zone("a")
            .ready("127.0.0.2")
            .zone("b")
            .ready("127.0.0.3")
            .zone("b")
            .ready("127.0.0.4")
            .zone("b"));
    start(TARGET);
    App app = mesh.app();
    app.send(METHOD, App.WAIT_FOR_READY, "true").get();
    Await.until(
        "all are READY",
        this::lb,
        () -> lb().split("\"health\"", -1).length == 5 && !lb().contains("CONNECTING"));
    Map<String, Integer> counts = new TreeMap<>();

    for (int i = 0; i < 1200; i++) {
      counts.merge(app.call(METHOD).backend(), 1, Integer::sum);
    }

    assertThat(counts.values()).hasSize(4).allMatch(count -> count > 220 && count < 380);
  }

  @Conformance({"KN-04", "KN-08"})
  @Test
  void callsGoOnWhileTheApiServerIsGoneAndThePageTellsIt() throws Exception {
    Backend backend = mesh.backend("b1");
    api.put(slice(backend.port(), "127.0.0.1"));
    start(TARGET);
    App app = mesh.app();
    assertThat(app.send(METHOD, App.WAIT_FOR_READY, "true").get().backend()).isEqualTo("b1");
    Await.until("it watches", () -> api.watches() == 1);

    api.stop();

    Await.until(
        "it is told",
        () -> mesh.admin().get("/events?format=json").body(),
        () ->
            mesh.admin()
                .get("/events?format=json")
                .body()
                .contains("cannot watch endpointslices in namespace"));
    assertThat(app.call(METHOD).backend()).isEqualTo("b1");
    assertThat(mesh.admin().get("/ready").status()).isEqualTo(200);
    api.restart();
    Await.until("it watches again", () -> api.watches() == 1);
  }
}
