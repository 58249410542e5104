package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.grpc.Status;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.JsonResources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Local policy over what a control plane sends (CONTRACT section 11). */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class OverlayIT {
  private static final String METHOD = "test.Pay/Charge";

  private static final String EJECT =
      """
      overlay:
      - name: eject
        clusters: ["A"]
        patch:
          outlier_detection: {interval: 0.3s, base_ejection_time: 300s, max_ejection_percent: 100,
            enforcing_success_rate: 0, enforcing_failure_percentage: 100,
            failure_percentage_threshold: 50, failure_percentage_minimum_hosts: 1,
            failure_percentage_request_volume: 2}
      """;

  private static final String NOTHING = "overlay: []\n";

  private final Mesh mesh = new Mesh();

  @TempDir private Path folder;

  @AfterEach
  void close() {
    mesh.close();
  }

  /** Puts a file in the place of the one before, as tools do. */
  private void write(String text) throws IOException {
    Path next = Files.writeString(folder.resolve(".next"), text);
    Files.move(next, folder.resolve("policy.yaml"), StandardCopyOption.ATOMIC_MOVE);
  }

  private void serve(String cluster, Backend... backends) {
    mesh.controlPlane.serve(
        cluster,
        Xds.endpoints("A", backends),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
  }

  private void startReady(String overlay) throws Exception {
    write(overlay);
    mesh.with(Flag.OVERLAY, folder.toString()).startReady();
  }

  private JsonObject rule(String name) {
    JsonArray rules = mesh.admin().get("/overlay").object().getAsJsonArray("rules");
    return StreamSupport.stream(rules.spliterator(), false)
        .map(JsonElement::getAsJsonObject)
        .filter(rule -> rule.get("name").getAsString().equals(name))
        .findFirst()
        .orElse(new JsonObject());
  }

  private void awaitRule(String name) {
    Await.until(name + " is in force", () -> rule(name).has("set") && isSet(rule(name)));
  }

  private static boolean isSet(JsonObject rule) {
    return !rule.getAsJsonArray("set").isEmpty();
  }

  private String explained() {
    return mesh.admin().get("/explain?path=/" + METHOD).body();
  }

  @Conformance({"OV-01", "OV-04", "OV-06"})
  @Test
  void aFailingBackendIsEjectedOnceTheRuleIsThere() throws Exception {
    Backend good = mesh.backend("good").quiet();
    Backend bad = mesh.backend("bad").quiet();
    serve(Xds.cluster("A"), good, bad);
    startReady(NOTHING);
    List<Load> loads = mesh.loads(METHOD, 200);
    loads.forEach(load -> load.awaitMore("bad", 20));
    int connections = good.connections();

    bad.answering(Status.INTERNAL);
    loads.forEach(load -> load.awaitMore("good", 100)); // no rule: both are asked on and on
    assertThat(mesh.admin().get("/lb").body()).contains("\"ejected\": null");
    assertThat(mesh.admin().get("/lb").body()).doesNotContain("\"ejected\": {");

    write(EJECT);
    Await.until(
        "bad is ejected",
        () -> mesh.admin().get("/lb").body(),
        () -> mesh.admin().get("/lb").body().contains("\"ejected\": {"));

    assertThat(good.connections()).isEqualTo(connections);
    assertThat(rule("eject").getAsJsonObject("matched").get("clusters").getAsInt()).isEqualTo(1);
    assertThat(mesh.admin().get("/lb").body())
        .contains("\"overlay\": [", "\"field\": \"outlier_detection.interval\"", "policy.yaml");
    assertThat(mesh.admin().get("/config_dump").body()).doesNotContain("outlier_detection");
    assertThat(mesh.admin().get("/events?format=json").body()).contains("\"kind\": \"overlay\"");
    assertThat(mesh.admin().get("/metrics").body())
        .contains("outrigger_overlay_rules{matches=\"something\"} 1");
  }

  @Conformance("OV-04")
  @Test
  void aWrongFileLeavesTheLastGoodOneInForceAndSaysSoUntilItIsMended() throws Exception {
    serve(Xds.cluster("A"), mesh.backend("a"));
    startReady(EJECT);
    awaitRule("eject");

    write(EJECT.replace("interval:", "intervall:"));

    Await.until(
        "the fault is told",
        () -> !mesh.admin().get("/overlay").object().getAsJsonArray("errors").isEmpty());
    JsonObject error =
        mesh.admin().get("/overlay").object().getAsJsonArray("errors").get(0).getAsJsonObject();
    assertThat(error.get("file").getAsString()).endsWith("policy.yaml");
    assertThat(error.get("line").getAsInt()).isEqualTo(5);
    assertThat(error.get("message").getAsString()).contains("outlier_detection.intervall");
    assertThat(isSet(rule("eject"))).isTrue();

    write(EJECT.replace("name: eject", "name: again"));

    awaitRule("again");
    assertThat(mesh.admin().get("/overlay").object().getAsJsonArray("errors")).isEmpty();
    assertThat(rule("eject").keySet()).isEmpty();
  }

  @Conformance("OV-02")
  @Test
  void aRuleThatWouldMakeAClusterInvalidIsLeftOutAndTheControlPlaneHearsAnAck() throws Exception {
    String ring =
        Xds.cluster("A")
            .replaceFirst(
                "\"type\"",
                "\"lb_policy\":\"RING_HASH\",\"ring_hash_lb_config\":{\"minimum_ring_size\":50},"
                    + "\"type\"");
    serve(ring, mesh.backend("a"));
    startReady(
        "overlay: [{name: small, clusters: ['*'],"
            + " patch: {ring_hash_lb_config: {maximum_ring_size: 40}}}]");

    assertThat(mesh.app().call(METHOD).backend()).isEqualTo("a");

    JsonObject left = rule("small").getAsJsonArray("left_out").get(0).getAsJsonObject();
    assertThat(left.get("resource").getAsString()).isEqualTo("A");
    assertThat(left.get("field").getAsString()).isEqualTo("ring_hash_lb_config.minimum_ring_size");
    assertThat(mesh.admin().get("/events?format=json").body())
        .contains("rule small of ", "is left out");
    assertThat(mesh.admin().get("/metrics").body())
        .contains("outrigger_overlay_left_out{rule=\"small\"} 1");
    assertThat(mesh.admin().get("/xds").body()).doesNotContain("NACKED");
  }

  @Conformance({"OV-01", "OV-06"})
  @Test
  void aRouteOfOneTargetHasAnotherLimitAndExplainNamesTheRule() throws Exception {
    mesh.controlPlane.serve(
        Xds.cluster("A"),
        Xds.endpoints("A", mesh.backend("a")),
        Xds.listener("orders", "routes"),
        JsonResources.routes("routes", "A"));
    startReady(
        """
        overlay:
        - name: longer
          targets: ["xds:///ord*"]
          patch: {max_stream_duration: {grpc_timeout_header_max: 30s}}
        - {name: elsewhere, targets: ["xds:///pay"], patch: {timeout: 1s}}
        """);

    Await.until("it is in force", OverlayIT.this::explained, () -> explained().contains("longer"));
    JsonObject timeout =
        mesh.admin()
            .get("/explain?path=/" + METHOD)
            .object()
            .getAsJsonArray("branches")
            .get(0)
            .getAsJsonObject()
            .getAsJsonObject("timeout");
    assertThat(timeout.get("route_limit").getAsDouble()).isEqualTo(30);
    assertThat(rule("elsewhere").getAsJsonObject("matched").get("routes").getAsInt()).isZero();
    assertThat(rule("longer").getAsJsonObject("matched").get("routes").getAsInt()).isEqualTo(1);
    assertThat(mesh.admin().get("/metrics").body())
        .contains("outrigger_overlay_rules{matches=\"nothing\"} 1");
  }

  @Conformance("OV-05")
  @Test
  void clustersThatComeLaterAndResourcesOfARestartedControlPlaneAreLaidOver() throws Exception {
    serve(Xds.cluster("A"), mesh.backend("a"));
    startReady(EJECT.replace("[\"A\"]", "[\"later\", \"A\"]"));
    awaitRule("eject");

    mesh.controlPlane.serve(
        Xds.cluster("later"),
        Xds.endpoints("later", mesh.backend("b")),
        Xds.routesTo("routes", "later"));

    Await.until(
        "the later cluster is laid over",
        () ->
            mesh.admin().get("/overlay").body().contains("\"resource\": \"later\"")
                && mesh.app().call(METHOD).backend().equals("b"));
  }

  @Conformance("OV-05")
  @Test
  void membersOfAnAggregateAndNamesAreLaidOverFromFilesToo() throws Exception {
    String resources =
        String.join(
            ",",
            Xds.listener("orders", "routes"),
            Xds.routesTo("routes", "both"),
            JsonResources.aggregate("both", "A", "dns"),
            Xds.cluster("A"),
            Xds.endpoints("A", mesh.backend("a")),
            Xds.dns("dns", "localhost", mesh.backend("b").port()));
    Path file = folder.resolve(".resources.json");
    Files.writeString(file, "{\"resources\":[" + resources + "]}");
    mesh.with(Flag.RESOURCES, file.toString());
    startReady(
        """
        overlay:
        - name: member
          clusters: ["A", "dns"]
          patch: {circuit_breakers: {thresholds: [{max_requests: 77}]}}
        - {name: aggregate, clusters: ["both"], patch: {outlier_detection: {}}}
        """);

    assertThat(mesh.app().call(METHOD).backend()).isEqualTo("a");

    assertThat(mesh.admin().get("/lb").body()).contains("\"overlay\": [", "\"max_requests\": 77,");
    assertThat(rule("member").getAsJsonArray("set").toString())
        .contains("\"resource\":\"A\"", "\"resource\":\"dns\"");
    assertThat(rule("member").getAsJsonObject("matched").get("clusters").getAsInt()).isEqualTo(2);
    assertThat(rule("aggregate").getAsJsonObject("matched").get("clusters").getAsInt())
        .isEqualTo(1);
  }

  @Conformance("OV-04")
  @Test
  void twentyChangesASecondUnderChurnCostNoCallAndNoConnection() throws Exception {
    Backend a = mesh.backend("a").quiet();
    Backend b = mesh.backend("b").quiet();
    serve(Xds.cluster("A"), a, b);
    startReady(NOTHING);
    List<Load> loads = mesh.loads(METHOD, 300);
    loads.forEach(load -> load.awaitMore("a", 5));
    loads.forEach(load -> load.awaitMore("b", 5));
    int before = a.connections() + b.connections();

    for (int step = 0; step < 100; step++) {
      write(
          EJECT.replace("interval: 0.3s", "interval: " + (300 + step) + "s")
              + "- {name: limit, clusters: ['*'], patch: {circuit_breakers: {thresholds:"
              + " [{max_requests: "
              + (500 + step)
              + "}]}}}\n"
              + "- {name: time, routes: {path_prefix: '*'}, mode: override, patch: {timeout: "
              + (60 + step)
              + "s}}\n");
      if (step % 5 == 0) {
        mesh.controlPlane.serve(Xds.cluster("A", 1000 + step));
      }
      loads.get(0).awaitMore("a", 8 / mesh.loops); // some 50 ms
    }
    Await.until(
        "the last change is in force",
        () -> explained(),
        () -> explained().contains("\"route_limit\": 159.0"));

    loads.forEach(load -> load.awaitMore("a", 5));
    loads.forEach(load -> assertThat(load.failures()).isEmpty());
    assertThat(a.connections() + b.connections()).isEqualTo(before);
  }
}
