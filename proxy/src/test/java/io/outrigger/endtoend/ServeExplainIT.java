package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.RefusingPort;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code /explain?serve=…}: what a served address would do with a request, without sending it. */
@Timeout(600)
class ServeExplainIT {
  private static final String RBAC =
      """
      {"name":"%s","typed_config":{
        "@type":"type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC",
        "rules":{"action":"%s","policies":{"%s":{"permissions":[%s],"principals":[{"any":true}]}}}}},
      """;

  private static final String ROUTES =
      """
      "route_config":{"name":"in","virtual_hosts":[{"name":"pay","domains":["pay.mesh"],"routes":[
        {"name":"wrong","match":{"prefix":"/wrong."},"route":{"cluster":"A"}},
        {"name":"half","match":{"prefix":"/half.","runtime_fraction":{"default_value":
          {"numerator":60,"denominator":"HUNDRED"}}},"non_forwarding_action":{}},
        {"name":"all","match":{"prefix":"/test."},"non_forwarding_action":{}}]}]}
      """;

  private final Mesh mesh = new Mesh();
  private final RefusingPort port = mesh.keep(RefusingPort.any());
  private final Backend app = mesh.backend("app");

  @AfterEach
  void close() {
    mesh.close();
  }

  /**
   * Starts with a listener for peers of {@code 127.0.0.0/8} alone, whose filters refuse headers
   * {@code x-bad} and allow paths below {@code /test.Pay/}.
   */
  private void start() throws Exception {
    String name = "inbound/127.0.0.1:" + port.number();
    String router = "{\"name\":\"router\"";
    String filters =
        RBAC.formatted(
                "deny", "DENY", "bad", "{\"header\":{\"name\":\"x-bad\",\"present_match\":true}}")
            + RBAC.formatted(
                "allow", "ALLOW", "pay", "{\"url_path\":{\"path\":{\"prefix\":\"/test.Pay/\"}}}");
    String match =
        "\"filter_chain_match\":{\"source_prefix_ranges\":[{\"address_prefix\":\"127.0.0.0\","
            + "\"prefix_len\":8}]},";
    mesh.controlPlane.serve(
        Xds.serverListener(name, "127.0.0.1", port.number(), ROUTES)
            .replace(router, filters + router)
            .replace("\"filter_chains\":[{", "\"filter_chains\":[{" + match));
    mesh.with(Flag.FORWARD)
        .with(Flag.SERVE, "pay@127.0.0.1:" + port.number() + "=127.0.0.1:" + app.port())
        .start();
  }

  private void awaitServing() {
    Await.until("ready", () -> mesh.admin().get("/ready").status() == 200);
  }

  private JsonObject explain(String query) {
    return mesh.admin().get("/explain?serve=pay&authority=pay.mesh&" + query).object();
  }

  private static void check(JsonObject explained, String verdict, String reason) {
    assertThat(explained.get("verdict").getAsString()).as(explained.toString()).isEqualTo(verdict);
    assertThat(explained.get("reason").getAsString()).contains(reason);
  }

  @Test
  @Conformance("OPS-06")
  void theWholeAnswerNamesChainRouteFiltersAndPolicy() throws Exception {
    start();
    awaitServing();

    assertThat(explain("path=/test.Pay/Charge&source=127.0.0.9").toString())
        .isEqualTo(
            "{\"serve\":\"pay\",\"chain\":{\"name\":\"in\",\"reason\":\"the best match of a"
                + " connection from 127.0.0.9 to 127.0.0.1\"},\"tls\":false,"
                + "\"virtual_host\":\"pay\",\"route\":\"all\",\"filters\":["
                + "{\"name\":\"deny\",\"action\":\"DENY\",\"verdict\":\"allowed\",\"policy\":null},"
                + "{\"name\":\"allow\",\"action\":\"ALLOW\",\"verdict\":\"allowed\","
                + "\"policy\":\"pay\"}],\"verdict\":\"allowed\","
                + "\"reason\":\"policy \\\"pay\\\" of filter \\\"allow\\\" allows the request\"}");
    assertThat(app.started()).isZero();
  }

  @Test
  @Conformance("OPS-06")
  void aRefusalNamesItsReason() throws Exception {
    start();
    awaitServing();
    check(
        explain("path=/test.Pay/Charge&header=x-bad:1"),
        "denied",
        "policy \"bad\" of filter \"deny\" denies the request");
    check(explain("path=/test.Ship/Send"), "denied", "no policy of filter \"allow\" allows");
    check(explain("path=/none.Pay/Charge"), "failed", "no route for virtual host \"pay\"");
    check(explain("path=/wrong.Pay/Charge"), "denied", "no policy");
    check(explain("path=/test.Pay/../wrong.Pay/Charge"), "denied", "no policy");
    check(explain("path=/half.Pay/Charge"), "denied", "; the likeliest of 2 outcomes");
    check(explain("path=/test.Pay/Charge&source=10.0.0.1"), "failed", "no filter chain matches");
    JsonObject other =
        mesh.admin().get("/explain?serve=pay&path=/test.Pay/Charge&authority=other").object();
    check(other, "failed", "no virtual host");
    assertThat(other.get("virtual_host").isJsonNull()).isTrue();

    app.kill();
    Await.until("not ready", () -> mesh.admin().get("/ready").status() == 503);
    check(explain("path=/test.Pay/Charge"), "allowed", "; but the app cannot be reached");
  }

  @Test
  void whatCannotBeExplainedIsRefusedWithTheReason() throws Exception {
    app.kill();
    start();
    check(explain("path=/test.Pay/Charge"), "failed", "serve pay is WAITING");

    Admin.Answer unknown = mesh.admin().get("/explain?serve=ship&path=/a.B/C");
    assertThat(unknown.status()).isEqualTo(404);
    assertThat(unknown.body()).contains("it is one of pay");
    for (String bad :
        new String[] {
          "serve=pay",
          "serve=pay&path=/a&source=x",
          "serve=pay&path=/a&peer=",
          "serve=pay&path=/a&forward=a",
          "path=/a&peer=spiffe://a/b"
        }) {
      assertThat(mesh.admin().get("/explain?" + bad).status()).as(bad).isEqualTo(400);
    }
  }
}
