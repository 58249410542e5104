package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Retries between real backends. */
@Timeout(600)
@ParameterizedClass(name = "{0} loops")
@ValueSource(ints = {1, 2})
class RetryIT {
  private static final int CALLS = 20;

  private final Mesh mesh;

  RetryIT(int loops) {
    mesh = new Mesh(loops);
  }

  @AfterEach
  void close() {
    mesh.close();
  }

  private void serve(String policy, Backend... backends) throws Exception {
    mesh.controlPlane.serve(
        Xds.cluster("A"),
        Xds.endpoints("A", backends),
        Xds.listener("orders", "routes"),
        Xds.routes(
            "routes",
            Xds.host(
                "*",
                Xds.routeTo(
                    "",
                    "{\"cluster\":\"A\",\"timeout\":\"0s\",\"retry_policy\":" + policy + "}"))));
    mesh.startReady();
  }

  @Conformance({"A44-08", "A44-09", "A44-11"})
  @Test
  void aBackendThatDiesUnderItsCallsLosesNoneOfThem() throws Exception {
    Backend a = mesh.backend("a");
    Backend b = mesh.backend("b");
    serve("{\"retry_on\":\"unavailable\",\"num_retries\":4}", a, b);
    App app = mesh.app();
    Await.until(
        "both serve",
        () -> {
          app.call("test.Pay/Charge");
          return a.started() > 0 && b.started() > 0;
        });
    List<CompletableFuture<App.Reply>> calls = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      calls.add(app.send("test.Pay/Hold"));
    }
    Await.until("all are held", () -> a.held() + b.held() == CALLS);
    int moving = a.held();
    assertThat(moving).isPositive();

    a.kill();
    Await.until("all have moved", () -> b.held() == CALLS);
    b.release();

    for (CompletableFuture<App.Reply> call : calls) {
      assertThat(App.join(call).backend()).isEqualTo("b");
    }
    assertThat(
            b.heard().stream()
                .filter(heard -> !heard.header("grpc-previous-rpc-attempts").isEmpty()))
        .hasSize(moving);
  }
}
