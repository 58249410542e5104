package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.grpc.Status;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Outlier detection with real backends that fail (A50, A91, CONTRACT section 6). */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class OutlierDetectionIT {
  private static final String METHOD = "test.Pay/Charge";

  /** More than half of at least two calls failed; a second longer each time. */
  private static final String FAILING =
      """
      "interval":"0.3s","base_ejection_time":"1s","max_ejection_percent":100,
      "enforcing_success_rate":0,"enforcing_failure_percentage":100,
      "failure_percentage_threshold":50,"failure_percentage_minimum_hosts":1,
      "failure_percentage_request_volume":2\
      """;

  /** Each interval with a failure ejects until the next, with an event that tells how many. */
  private static final String EVERY_FAILURE =
      """
      "interval":"0.2s","base_ejection_time":"0s","enforcing_success_rate":0,
      "enforcing_failure_percentage":100,"failure_percentage_threshold":0,
      "failure_percentage_minimum_hosts":1,"failure_percentage_request_volume":1\
      """;

  private final Mesh mesh = new Mesh();

  @AfterEach
  void close() {
    mesh.close();
  }

  private void serve(String detection, String... localities) {
    mesh.controlPlane.serve(
        Xds.watchedCluster("A", detection),
        Xds.endpoints("A", localities),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
  }

  @Conformance({"A50-09", "A50-35", "A50-36", "A50-54"})
  @Test
  void aBackendThatFailsIsEjectedAndComesBackOnItsConnection() throws Exception {
    Backend a = mesh.backend("a").quiet();
    Backend b = mesh.backend("b").quiet();
    Backend bad = mesh.backend("bad").quiet();
    serve(FAILING, Xds.locality("z", 0, 1, a, b, bad));
    mesh.startReady();
    List<Load> loads = mesh.loads(METHOD, 200);
    loads.forEach(load -> load.awaitMore("bad", 1));

    bad.answering(Status.INTERNAL);
    var seen = new AtomicReference<Optional<JsonObject>>(Optional.empty());
    Await.until(
        "bad is ejected",
        () -> {
          seen.set(ejected(bad)); // a second look might come after its end
          return seen.get().isPresent();
        });

    JsonObject ejection = seen.get().orElseThrow();
    assertThat(ejection.keySet()).containsExactlyInAnyOrder("since", "until", "times", "by");
    assertThat(ejection.get("by").getAsString()).isEqualTo("failure_percentage");
    assertThat(ejection.get("times").getAsInt()).isPositive();
    Instant since = Instant.parse(ejection.get("since").getAsString());
    assertThat(Duration.between(since, Instant.parse(ejection.get("until").getAsString())))
        .isGreaterThanOrEqualTo(Duration.ofSeconds(1));
    assertThat(endpoint(a).get("ejected").isJsonNull()).isTrue();
    assertThat(metric("grpc_lb_outlier_detection_ejections_enforced_total"))
        .anyMatch(
            line ->
                line.contains("grpc_target=\"xds:///orders\"")
                    && line.contains("grpc_lb_backend_service=\"A\"")
                    && line.contains(
                        "grpc_lb_outlier_detection_detection_method=\"failure_percentage\""));

    bad.answering(Status.OK);
    loads.forEach(load -> load.awaitMore("bad", 20));
    assertThat(bad.connections()).isEqualTo(mesh.loops);
    assertThat(history(bad)).contains("eject", "uneject");
  }

  @Conformance("A50-12")
  @Test
  void aBackendWhoseStreamsAreNeverFreeIsEjected() throws Exception {
    Backend a = mesh.backend("a").quiet();
    var stuck =
        mesh.keep(
            new StrictBackend(
                "stuck", new StrictBackend.Limits().streams(1).answerTime(Duration.ofDays(1))));
    String hours = FAILING.replace("\"1s\"", "\"3600s\"");
    serve(hours, Xds.locality("z", 0, 1, List.of(a.port(), stuck.port())));
    mesh.startReady();
    App app = mesh.app();
    Await.until(
        "its only stream is in use",
        () -> {
          app.send(METHOD);
          return stuck.calls() == 1;
        });

    Await.until(
        "the calls that wait for the stream eject it",
        () -> {
          List<CompletableFuture<App.Reply>> calls = new ArrayList<>();
          for (int i = 0; i < 10; i++) {
            calls.add(app.send(METHOD, Duration.ofMillis(100)));
          }
          calls.forEach(App::join);
          return endpoint(stuck.port()).get("ejected").isJsonObject();
        });

    assertThat(stuck.calls()).isEqualTo(1);
  }

  @Conformance({"A50-35", "A50-39"})
  @Test
  void whileItIsEjectedItGetsNoCalls() throws Exception {
    Backend a = mesh.backend("a");
    Backend bad = mesh.backend("bad").answering(Status.UNAVAILABLE);
    String hours = FAILING.replace("\"1s\"", "\"3600s\"");
    serve(hours, Xds.locality("z", 0, 1, a, bad));
    mesh.startReady();
    App app = mesh.app();
    Await.until(
        "bad is ejected",
        () -> {
          for (int i = 0; i < 10; i++) { // enough of them in an interval, on a slow machine too
            app.call(METHOD);
          }
          return ejected(bad).isPresent();
        });
    long before = bad.started();

    for (int i = 0; i < 50; i++) {
      assertThat(app.call(METHOD).backend()).isEqualTo("a");
    }

    assertThat(bad.started()).isEqualTo(before);
    a.answering(Status.UNAVAILABLE);
    Await.until(
        "nobody is left",
        () -> app.call(METHOD).message().contains("ejected by outlier detection"));
    App.Reply reply = app.call(METHOD);
    assertThat(reply.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(reply.local()).isEqualTo("no_healthy_upstream");
  }

  @Conformance("A75-26")
  @Test
  void anEjectedPriorityIsLeftAndTakenAgain() throws Exception {
    Backend first = mesh.backend("first").quiet();
    Backend second = mesh.backend("second").quiet();
    serve(FAILING, Xds.locality("x", 0, 1, first), Xds.locality("y", 1, 1, second));
    mesh.startReady();
    Load load = mesh.load(mesh.app(), METHOD, 100);
    load.awaitMore("first", 10);

    first.answering(Status.ABORTED);
    load.awaitMore("second", 10);
    first.answering(Status.OK);

    load.awaitMore("first", 10);
  }

  @Conformance("A50-12")
  @Test
  void everyEndButOkIsAFailure() throws Exception {
    Backend a = mesh.backend("a");
    serve(EVERY_FAILURE, Xds.locality("z", 0, 1, a));
    mesh.startReady();
    App app = mesh.app();
    assertThat(app.call(METHOD).status().isOk()).isTrue();

    a.answering(Status.NOT_FOUND);
    assertThat(app.call(METHOD).code()).isEqualTo(Status.Code.NOT_FOUND);
    awaitAllButTheFirstFailed(a);
    long before = a.started();
    Await.until(
        "a call reaches it before its deadline",
        () -> {
          App.Reply late =
              app.call("test.Pay/Hold", App.WAIT_FOR_READY, "true", "grpc-timeout", "1S");
          assertThat(late.code()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
          return a.started() > before;
        });
    awaitAllButTheFirstFailed(a);
    Await.until("the call is gone", () -> a.held() == 0);
    try (App leaving = new App(mesh.address())) {
      leaving.send("test.Pay/Hold", App.WAIT_FOR_READY, "true");
      Await.until("the call is there", () -> a.held() == 1);
    } // the app is gone: the call is cancelled

    awaitAllButTheFirstFailed(a);
  }

  private void awaitAllButTheFirstFailed(Backend backend) {
    Await.until(
        "each call but the first is counted as a failure",
        () -> failures(backend) + " of " + backend.started(),
        () -> failures(backend) == backend.started() - 1);
  }

  @Conformance("A50-15")
  @Test
  void aStreamThatIsCutIsAFailureAndAConnectionThatFailsIsNone() throws Exception {
    Backend a = mesh.backend("a");
    serve(EVERY_FAILURE, Xds.locality("z", 0, 1, a));
    mesh.startReady();
    App app = mesh.app();
    CompletableFuture<App.Reply> cut = app.send("test.Pay/Hold");
    Await.until("the call is there", () -> a.held() == 1);

    a.kill();

    assertThat(App.join(cut).code()).isEqualTo(Status.Code.UNAVAILABLE);
    awaitFailures(a, 1);
    for (int i = 0; i < 20; i++) {
      app.call(METHOD);
    }
    a.revive();
    assertThat(app.call(METHOD, App.WAIT_FOR_READY, "true").status().isOk()).isTrue();
    a.answering(Status.INTERNAL);
    app.call(METHOD, App.WAIT_FOR_READY, "true");
    awaitFailures(a, 2);
  }

  @Conformance("A50-13")
  @Test
  void eachAttemptOfARequestIsCounted() throws Exception {
    Backend bad = mesh.backend("bad").answering(Status.UNAVAILABLE);
    serve(EVERY_FAILURE.replace("0.2s", "2s"), Xds.locality("z", 0, 1, bad));
    String retrying =
        """
        {"cluster":"A","timeout":"0s","retry_policy":{"retry_on":"unavailable","num_retries":2,
          "retry_back_off":{"base_interval":"0.001s"}}}\
        """;
    mesh.controlPlane.serve(Xds.routes("routes", Xds.host("*", Xds.routeTo("", retrying))));
    mesh.startReady();

    App app = mesh.app();
    // What fails while the backend is ejected is passed over, so all attempts of a call must fall
    // into one interval: a call that waits for the end of an ejection begins with the next.
    app.call(METHOD, App.WAIT_FOR_READY, "true");
    Await.until("bad is ejected", () -> ejected(bad).isPresent());
    long failuresBefore = failures(bad);
    long startedBefore = bad.started();

    App.Reply reply = app.call(METHOD, App.WAIT_FOR_READY, "true");

    assertThat(reply.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(bad.started()).isEqualTo(startedBefore + 3);
    awaitFailures(bad, failuresBefore + 3);
  }

  private void awaitFailures(Backend backend, long expected) {
    Await.until(
        expected + " failures are counted",
        () -> "there are " + failures(backend),
        () -> failures(backend) == expected);
  }

  /** All that events told of. */
  private long failures(Backend backend) {
    double failures = 0;
    for (JsonElement element : endpoint(backend).getAsJsonArray("history")) {
      JsonObject event = element.getAsJsonObject();
      if (event.has("failure_percentage")) {
        failures +=
            event.get("failure_percentage").getAsDouble() * event.get("volume").getAsLong() / 100;
      }
    }
    return Math.round(failures);
  }

  private Optional<JsonObject> ejected(Backend backend) {
    JsonElement ejected = endpoint(backend).get("ejected");
    return ejected.isJsonNull() ? Optional.empty() : Optional.of(ejected.getAsJsonObject());
  }

  private List<String> history(Backend backend) {
    List<String> kinds = new ArrayList<>();
    endpoint(backend)
        .getAsJsonArray("history")
        .forEach(event -> kinds.add(event.getAsJsonObject().get("kind").getAsString()));
    return kinds;
  }

  private List<String> metric(String name) {
    return mesh.admin().get("/metrics").body().lines().filter(l -> l.startsWith(name)).toList();
  }

  private JsonObject endpoint(Backend backend) {
    return endpoint(backend.port());
  }

  private JsonObject endpoint(int port) {
    JsonObject lb = mesh.admin().get("/lb?detail=full").object();
    JsonObject forward = lb.getAsJsonArray("forwards").get(0).getAsJsonObject();
    return find(forward.getAsJsonObject("root"), "127.0.0.1:" + port)
        .orElseThrow(() -> new AssertionError(port + " is not in " + lb));
  }

  private static Optional<JsonObject> find(JsonObject node, String address) {
    for (JsonElement endpoint : node.getAsJsonArray("endpoints")) {
      if (endpoint.getAsJsonObject().get("address").getAsString().equals(address)) {
        return Optional.of(endpoint.getAsJsonObject());
      }
    }
    for (JsonElement child : node.getAsJsonArray("children")) {
      Optional<JsonObject> found = find(child.getAsJsonObject(), address);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }
}
