package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.outrigger.testing.Await;
import io.outrigger.xds.testing.JsonResources;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The reports to operators about requests that were really made. */
@Timeout(600)
class DecisionIT {
  private static final String METHOD = "test.Pay/Charge";
  private static final String REFUSED = "gone; \u00e9";

  private final Mesh mesh = new Mesh();

  @AfterEach
  void close() {
    mesh.close();
  }

  private Backend serve() {
    Backend a = mesh.backend("a");
    mesh.controlPlane.serve(
        Xds.cluster("A"),
        JsonResources.badCluster(REFUSED), // what is missing would hold the first version up
        Xds.endpoints("A", a),
        Xds.listener("orders", "routes"),
        Xds.routes(
            "routes",
            Xds.host(
                "*",
                Xds.route("/none.", REFUSED),
                """
                {"name":"main","match":{"prefix":"/test."},"route":{"cluster":"A",
                 "timeout":"9s"}}\
                """)));
    return a;
  }

  @Test
  void theHourIsToldByClusterAndEndpoint() throws Exception {
    Backend a = serve();
    mesh.startReady();
    App app = mesh.app();
    for (int i = 0; i < 5; i++) {
      assertThat(app.call(METHOD).backend()).isEqualTo("a");
    }

    Await.until("all are counted", () -> requests(history("")) == 5);

    JsonObject cluster = history("&cluster=A");
    JsonObject endpoint = cluster.getAsJsonArray("endpoints").get(0).getAsJsonObject();
    assertThat(endpoint.get("address").getAsString()).isEqualTo("127.0.0.1:" + a.port());
    JsonObject minute = endpoint.getAsJsonArray("minutes").get(0).getAsJsonObject();
    assertThat(minute.keySet())
        .containsExactly("time", "requests", "errors", "p50_ms", "p90_ms", "p99_ms", "max_ms");
    assertThat(minute.get("errors").getAsLong()).isZero();
    assertThat(mesh.admin().get("/history?forward=none").status()).isEqualTo(404);
  }

  private JsonObject history(String query) {
    var clusters =
        mesh.admin()
            .get("/history?forward=orders" + query)
            .object()
            .getAsJsonArray("forwards")
            .get(0)
            .getAsJsonObject()
            .getAsJsonArray("clusters");
    return clusters.isEmpty() ? new JsonObject() : clusters.get(0).getAsJsonObject();
  }

  private static long requests(JsonObject cluster) {
    long requests = 0;
    if (cluster.has("minutes")) {
      for (var minute : cluster.getAsJsonArray("minutes")) {
        requests += minute.getAsJsonObject().get("requests").getAsLong();
      }
    }
    return requests;
  }
}
