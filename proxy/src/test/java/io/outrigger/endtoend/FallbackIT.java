package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two control planes of which the first may be away (A71). */
@Timeout(600)
class FallbackIT {
  private final Mesh mesh = new Mesh();
  private final ControlPlane first = mesh.controlPlane;
  private final ControlPlane second = mesh.fallback();

  @AfterEach
  void close() {
    mesh.close();
  }

  private static void serve(ControlPlane server, String target, Backend backend) {
    server.serve(
        Xds.cluster("A-" + target),
        Xds.endpoints("A-" + target, backend),
        Xds.inlineListener(target, "A-" + target));
  }

  private boolean isAsked(ControlPlane server, String target) {
    for (var each : mesh.admin().get("/xds").object().getAsJsonArray("servers")) {
      JsonObject found = each.getAsJsonObject();
      if (found.get("uri").getAsString().equals(server.target())
          && found.get("clientScope").getAsString().equals("xds:///" + target)) {
        return found.get("asked").getAsBoolean();
      }
    }
    throw new AssertionError(server.target() + " is not in /xds for " + target);
  }

  @Conformance({"A71-01", "A71-03", "A71-04"})
  @Test
  void theSecondServesUntilTheFirstIsThere() throws Exception {
    Backend spare = mesh.backend("spare");
    Backend own = mesh.backend("own");
    serve(second, "orders", spare);
    serve(first, "orders", own);
    first.kill();
    mesh.startReady();
    App app = mesh.app();

    assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("spare");
    assertThat(isAsked(second, "orders")).isTrue();

    first.revive();
    Await.until(
        "the first one's data wins", () -> "own".equals(app.call("test.Pay/Charge").backend()));
    Await.until("the second is left", () -> !isAsked(second, "orders"));
  }

  @Conformance({"A71-02", "A71-07"})
  @Test
  void aTargetThatHasEverythingStaysWhileAnotherFallsBack() throws Exception {
    mesh.with(
        Flag.FORWARD, Mesh.FORWARD + "@127.0.0.1:0=xds:///orders", "late@127.0.0.1:0=xds:///late");
    Backend own = mesh.backend("own");
    Backend spare = mesh.backend("spare");
    serve(first, "orders", own);
    serve(second, "orders", spare);
    serve(second, "late", spare);
    mesh.start();
    App orders = mesh.app();
    Await.until("orders is there", () -> orders.call("test.Pay/Charge").status().isOk());

    first.kill();

    App late = mesh.keep(new App(mesh.address("late")));
    Await.until("late falls back", () -> "spare".equals(late.call("test.Pay/Charge").backend()));
    assertThat(orders.call("test.Pay/Charge").backend()).isEqualTo("own");
    assertThat(isAsked(second, "orders")).isFalse();
    assertThat(isAsked(second, "late")).isTrue();
    assertThat(mesh.admin().get("/config_dump").object().getAsJsonArray("config")).hasSize(2);
  }
}
