package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Authority rewriting from the bootstrap's trust to the backend (A81). */
@Timeout(600)
class AuthorityIT {
  private final Mesh mesh = new Mesh();

  @AfterEach
  void close() {
    mesh.close();
  }

  /** One path to an EDS cluster with a named endpoint, one to a cluster that is a host name. */
  private Backend serve() {
    Backend backend = mesh.backend("a");
    String named =
        Xds.endpoints("eds", Xds.locality("a", 0, 1, List.of(backend.port())))
            .replace("\"endpoint\":{", "\"endpoint\":{\"hostname\":\"named.example\",");
    mesh.controlPlane.serve(
        Xds.cluster("eds"),
        named,
        Xds.dns("dns", "localhost", backend.port()),
        Xds.listener("orders", "routes"),
        Xds.routes(
            "routes",
            Xds.host(
                "*",
                Xds.routeTo("/test.Eds/", rewriting("eds")),
                Xds.routeTo("/test.Dns/", rewriting("dns")),
                Xds.route("", "eds"))));
    return backend;
  }

  private static String rewriting(String cluster) {
    return "{\"cluster\":\"" + cluster + "\",\"auto_host_rewrite\":true}";
  }

  @Conformance("A81-01")
  @Test
  void aTrustedServerMayHaveItRewritten() throws Exception {
    Backend backend = serve();
    mesh.serverFeature("trusted_xds_server").startReady();
    App app = mesh.app();

    assertThat(app.call("test.Eds/Call").backend()).isEqualTo("a");
    assertThat(backend.lastHeard().authority()).isEqualTo("named.example");
    assertThat(app.call("test.Dns/Call").backend()).isEqualTo("a");
    assertThat(backend.lastHeard().authority()).isEqualTo("localhost:" + backend.port());
    assertThat(app.call("test.Pay/Call").backend()).isEqualTo("a");
    assertThat(backend.lastHeard().authority()).isEqualTo("orders");
    assertExplained("/test.Eds/Call", "named.example");
    assertExplained("/test.Dns/Call", "localhost:" + backend.port());
    assertExplained("/test.Pay/Call", "orders");
  }

  /** {@code /explain} names the authority that is sent, in all and for the endpoint. */
  private void assertExplained(String path, String sent) throws Exception {
    JsonObject explained = explain(path);
    JsonObject branch = explained.getAsJsonArray("branches").get(0).getAsJsonObject();
    JsonElement endpoint = branch.getAsJsonArray("candidates").get(0);

    assertThat(explained.get("authority").getAsString()).isEqualTo(sent);
    assertThat(endpoint.getAsJsonObject().get("authority").getAsString()).isEqualTo(sent);
  }

  private JsonObject explain(String path) throws Exception {
    return mesh.admin().get("/explain?path=" + path + "&authority=own.example").object();
  }

  private JsonElement candidates(String path) throws Exception {
    return explain(path).getAsJsonArray("branches").get(0).getAsJsonObject().get("candidates");
  }

  @Conformance("A81-01")
  @Test
  void anyOtherServerMayNot() throws Exception {
    Backend backend = serve();
    mesh.startReady();

    assertThat(mesh.app().call("test.Eds/Call").backend()).isEqualTo("a");
    assertThat(backend.lastHeard().authority()).isEqualTo("orders");
  }

  @Conformance("A111-01")
  @ParameterizedTest
  @CsvSource({
    "trusted_xds_server, target, literal.example",
    "trusted_xds_server, preserve, own.example",
    "trusted_xds_server, fixed.example, literal.example",
    "xds_v3, target, orders"
  })
  void aRouteMayNameTheAuthority(String feature, String mode, String sent) throws Exception {
    Backend backend = mesh.backend("a");
    mesh.controlPlane.serve(
        Xds.cluster("eds"),
        Xds.endpoints("eds", backend),
        Xds.listener("orders", "routes"),
        Xds.routes(
            "routes",
            Xds.host(
                "*",
                Xds.routeTo(
                    "", "{\"cluster\":\"eds\",\"host_rewrite_literal\":\"literal.example\"}"))));
    mesh.serverFeature(feature).with(Flag.AUTHORITY, mode).startReady();

    assertThat(mesh.appFor("own.example").call("test.Pay/Call").backend()).isEqualTo("a");

    assertThat(backend.lastHeard().authority()).isEqualTo(sent);
    assertExplained("/test.Pay/Call", sent);

    // A user asks most when no endpoint is left.
    mesh.controlPlane.serve(Xds.endpoints("eds", new Backend[0]));
    Await.until(
        "no candidate is left",
        () ->
            candidates("/test.Pay/Call") == null
                || candidates("/test.Pay/Call").getAsJsonArray().isEmpty());
    assertThat(explain("/test.Pay/Call").get("authority").getAsString()).isEqualTo(sent);
  }
}
