package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonParser;
import io.grpc.Status;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Outlier detection beside istio: an operator asks for it in a DestinationRule, istiod keeps it
 * from gRPC clients, and local policy has the last word. With a real istiod where one is installed,
 * and always with what one has sent.
 */
@Timeout(600)
class IstiodIT {
  private static final String EJECT =
      """
      overlay:
      - name: eject-broken-endpoints
        clusters: ["outbound|*||pay.shop.example"]
        patch:
          outlier_detection: {interval: 0.3s, base_ejection_time: 300s, max_ejection_percent: 100,
            enforcing_success_rate: 0, enforcing_failure_percentage: 100,
            failure_percentage_threshold: 50, failure_percentage_minimum_hosts: 1,
            failure_percentage_request_volume: 2}
      """;

  private static final int CALLS = 40;

  private final Mesh mesh = new Mesh();
  private final Backend good = mesh.backend("good").quiet();
  private final Backend bad = mesh.backend("bad").quiet().answering(Status.INTERNAL);

  @TempDir private Path folder;

  @AfterEach
  void close() {
    mesh.close();
  }

  private void use(boolean real) throws Exception {
    mesh.with(Flag.FORWARD, Mesh.FORWARD + "@127.0.0.1:0=" + Istiod.TARGET);
    if (real) {
      assumeTrue(Istiod.installed().isPresent(), Istiod.MISSING);
      Istiod istiod = mesh.keep(Istiod.start(Istiod.installed().orElseThrow(), good, bad));
      mesh.bootstrap(istiod.bootstrap());
    } else {
      mesh.controlPlane.serve(Istiod.sent(good, bad).toArray(String[]::new));
    }
  }

  private static int failuresOf(App app) {
    int failures = 0;
    for (int i = 0; i < CALLS; i++) {
      failures += app.call("test.Pay/Charge").status().isOk() ? 0 : 1;
    }
    return failures;
  }

  @Conformance("OV-07")
  @ParameterizedTest(name = "a real one: {0}")
  @ValueSource(booleans = {false, true})
  void withoutLocalPolicyAFailingBackendStays(boolean real) throws Exception {
    use(real);
    mesh.startReady();
    App app = mesh.app();
    Await.until("both are in use", () -> good.connections() > 0 && bad.connections() > 0);

    assertThat(failuresOf(app)).isPositive();
    for (int sweeps = 0; sweeps < 3; sweeps++) {
      assertThat(failuresOf(app)).isBetween(CALLS / 4, CALLS * 3 / 4);
    }

    assertThat(mesh.admin().get("/lb").body())
        .contains(Istiod.CLUSTER)
        .doesNotContain("\"ejected\": {");
    assertThat(mesh.admin().get("/config_dump").body()).doesNotContain("outlier_detection");
  }

  @Conformance("OV-07")
  @ParameterizedTest(name = "a real one: {0}")
  @ValueSource(booleans = {false, true})
  void withLocalPolicyItIsEjected(boolean real) throws Exception {
    use(real);
    Path policy = Files.writeString(folder.resolve("policy.yaml"), EJECT);
    mesh.with(Flag.OVERLAY, policy.toString()).startReady();
    App app = mesh.app();

    Await.until("nothing fails any more", () -> failuresOf(app) == 0);

    assertThat(failuresOf(app)).isZero();
    assertThat(mesh.admin().get("/lb").body()).contains("\"ejected\": {");
    assertThat(mesh.admin().get("/config_dump").body()).doesNotContain("outlier_detection");
    assertThat(mesh.admin().get("/overlay").body()).contains("eject-broken-endpoints");
  }

  /** What stands in for one where none is installed is what this one says. */
  @Test
  void whatWasKeptIsWhatOneSends() throws Exception {
    use(true);
    mesh.startReady();

    List<String> resources = Istiod.resources(mesh.admin().get("/config_dump").object());

    assertThat(resources.stream().map(JsonParser::parseString))
        .containsExactlyInAnyOrderElementsOf(
            Istiod.sent(good, bad).stream().map(JsonParser::parseString).toList());
  }
}
