package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long calls wait, as metrics tell it (A121). */
@Timeout(600)
class DelaysIT {
  private static final String CALL = "grpc.client.call.delay.duration";
  private static final String ATTEMPT = "grpc.client.attempt.delay.duration";
  private static final String DONE = "grpc_client_call_duration_seconds_count";
  private static final String RESOLVING =
      "grpc_client_call_delay_duration_seconds_count{grpc_delay_type=\"resolving\","
          + "grpc_method=\"other\",grpc_target=\"xds:///orders\"}";
  private static final String CONNECTING =
      "grpc_client_attempt_delay_duration_seconds_count{grpc_delay_type=\"0:connecting\","
          + "grpc_method=\"other\",grpc_target=\"xds:///orders\"}";

  private final Mesh mesh = new Mesh();

  @AfterEach
  void close() {
    mesh.close();
  }

  @Conformance("A121-01")
  @ParameterizedTest
  @CsvSource({"true, true", "true, false", "false, true", "false, false"})
  void waitsAreMeasuredWhereTheyAreAskedFor(boolean ofCalls, boolean ofAttempts) throws Exception {
    if (ofCalls && ofAttempts) {
      mesh.with(Flag.METRICS_EXPERIMENTAL, CALL, ATTEMPT);
    } else if (ofCalls || ofAttempts) {
      mesh.with(Flag.METRICS_EXPERIMENTAL, ofCalls ? CALL : ATTEMPT);
    }
    try (var port = new HeldPort(mesh.backend("a"))) {
      mesh.start();
      App app = mesh.app();
      CompletableFuture<App.Reply> forEverything = app.waitingForReady().send("test.Pay/Charge");
      awaitQueued(1);
      mesh.controlPlane.serve(
          Xds.cluster("A"),
          Xds.endpoints("A", Xds.locality("z", 0, 1, List.of(port.port()))),
          Xds.listener("orders", "routes"),
          Xds.routesTo("routes", "A"));
      Await.until("the cluster is known", () -> explained().contains("is being connected"));
      CompletableFuture<App.Reply> forTheConnection = app.send("test.Pay/Charge");
      awaitQueued(2); // on the same connection, so the first has looked at the cluster too

      port.release();

      assertThat(App.join(forEverything).backend()).isEqualTo("a");
      assertThat(App.join(forTheConnection).backend()).isEqualTo("a");
      assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("a"); // without a wait
    }
    Await.until("all are counted", () -> mesh.admin().metric(DONE) == 3);
    Await.until("resolving is", () -> metrics().contains(RESOLVING + " 1") == ofCalls);
    Await.until("connecting is", () -> metrics().contains(CONNECTING + " 2") == ofAttempts);
    assertThat(metrics().contains("call_delay")).isEqualTo(ofCalls);
    assertThat(metrics().contains("attempt_delay")).isEqualTo(ofAttempts);
  }

  private void awaitQueued(int calls) {
    Await.until(
        calls + " wait",
        () -> metrics().contains("outrigger_requests_queued{forward=\"orders\"} " + calls));
  }

  private String explained() {
    return mesh.admin().get("/explain?path=/test.Pay/Charge").body();
  }

  private String metrics() {
    return mesh.admin().get("/metrics").body();
  }
}
