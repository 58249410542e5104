package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.grpc.Status;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.xds.testing.JsonResources;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * {@code /explain} of a running sidecar, beside what the sidecar then does (CONTRACT section 6).
 */
@Timeout(600)
class ExplainIT {
  private static final String METHOD = "test.Pay/Charge";
  private static final String PATH = "path=/" + METHOD;

  private final Mesh mesh = new Mesh();

  @AfterEach
  void close() {
    mesh.close();
  }

  private void serve(String routes, String... localities) {
    mesh.controlPlane.serve(
        Xds.cluster("A"),
        Xds.endpoints("A", localities),
        Xds.listener("orders", "routes"),
        Xds.routes("routes", Xds.host("*", routes)));
  }

  @Test
  void theWholeWayIsToldAndIsTheWayThatIsTaken() throws Exception {
    Backend a = mesh.backend("a");
    Backend b = mesh.backend("b");
    Backend gone = mesh.absentBackend("gone");
    Backend spare = mesh.backend("spare");
    String canary =
        """
        {"name":"canary","match":{"prefix":"/","headers":[{"name":"x-canary","string_match":\
        {"exact":"yes"}}]},"route":{"cluster":"B"}},
        {"name":"stable","match":{"prefix":"/test."},
         "route":{"cluster":"A","max_stream_duration":{"grpc_timeout_header_max":"7s"},
           "retry_policy":{"retry_on":"unavailable","num_retries":2}}}\
        """
            .replace("\\\n", "");
    serve(canary, Xds.locality("p0", 0, 1, a, b, gone), Xds.locality("p1", 1, 1, spare));
    mesh.controlPlane.serve(Xds.cluster("B"), Xds.endpoints("B", Xds.locality("b", 0, 1, a)));
    mesh.startReady();
    App app = mesh.app();
    Set<String> picked = new HashSet<>();
    Await.until(
        "both are connected",
        () -> {
          picked.add(app.call(METHOD).backend());
          return picked.size() == 2;
        });
    var explained = new AtomicReference<JsonObject>();
    Await.until(
        "one has failed",
        () -> {
          explained.set(explain(PATH + "&forward=orders&header=grpc-timeout:20S"));
          return explained.get().toString().contains("cannot be connected to");
        });

    JsonObject answer = explained.get(); // another might come while it is tried again
    assertThat(answer.get("decision").getAsString()).isEqualTo("forward");
    assertThat(answer.getAsJsonObject("virtual_host").get("domain").getAsString()).isEqualTo("*");
    JsonArray routes = answer.getAsJsonArray("routes");
    assertThat(routes).hasSize(2);
    assertThat(routes.get(0).getAsJsonObject().get("missed").getAsString())
        .isEqualTo("header x-canary exactly \"yes\"");
    assertThat(routes.get(1).getAsJsonObject().get("result").getAsString()).isEqualTo("hit");
    JsonObject branch = answer.getAsJsonArray("branches").get(0).getAsJsonObject();
    assertThat(branch.get("probability").getAsDouble()).isEqualTo(1);
    JsonObject timeout = branch.getAsJsonObject("timeout");
    assertThat(timeout.get("source").getAsString()).isEqualTo("grpc_timeout_header_max");
    assertThat(timeout.get("effective").getAsDouble()).isEqualTo(7);
    assertThat(timeout.get("asked").getAsDouble()).isEqualTo(20);
    assertThat(branch.getAsJsonObject("retry").get("max_attempts").getAsInt()).isEqualTo(3);
    assertThat(branch.getAsJsonObject("retry").get("base_interval").getAsString())
        .isEqualTo("25ms");
    assertThat(branch.getAsJsonArray("path").toString())
        .contains("priority 0 is in use", "round_robin", "r/p0/s")
        .doesNotContain("r/p1/s");
    assertThat(addresses(branch, "candidates")).containsExactlyInAnyOrder(at(a), at(b));
    assertThat(addresses(branch, "excluded")).containsExactlyInAnyOrder(at(gone), at(spare));
    assertThat(reason(branch, gone)).startsWith("cannot be connected to: ");
    assertThat(reason(branch, spare)).startsWith("priority 1 is not in use");

    String other = explain(PATH + "&header=X-Canary:yes").toString();
    assertThat(other).contains("\"cluster\":\"B\"");
  }

  @Test
  void ejectedEndpointsSayUntilWhen() throws Exception {
    Backend bad = mesh.backend("bad").quiet().answering(Status.INTERNAL);
    Backend good = mesh.backend("good").quiet();
    mesh.controlPlane.serve(
        Xds.watchedCluster(
            "A",
            """
            "interval":"0.3s","base_ejection_time":"3600s","max_ejection_percent":100,
            "enforcing_success_rate":0,"enforcing_failure_percentage":100,
            "failure_percentage_threshold":50,"failure_percentage_minimum_hosts":1,
            "failure_percentage_request_volume":2\
            """),
        Xds.endpoints("A", Xds.locality("z", 0, 1, good, bad)),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
    mesh.startReady();
    mesh.load(mesh.app(), METHOD, 200);

    Await.until("it is ejected", () -> explain(PATH).toString().contains("ejected until"));

    JsonObject branch = explain(PATH).getAsJsonArray("branches").get(0).getAsJsonObject();
    assertThat(addresses(branch, "candidates")).containsExactly(at(good));
    assertThat(reason(branch, bad))
        .matches(
            "ejected until \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{3})?Z"
                + " \\(failure_percentage, the base ejection time\\)");
  }

  @Test
  void anAggregateTellsWhichLeafIsInUseAndWhy() throws Exception {
    Backend b = mesh.backend("b");
    mesh.controlPlane.serve(
        JsonResources.aggregate("both", "A", "B"),
        Xds.cluster("A"),
        Xds.cluster("B"),
        Xds.endpoints("A", Xds.locality("a", 0, 1, mesh.absentBackend("a"))),
        Xds.endpoints("B", Xds.locality("b", 0, 1, b)),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "both"));
    mesh.startReady();
    assertThat(mesh.app().call(METHOD).backend()).isEqualTo("b");

    JsonObject branch = explain(PATH).getAsJsonArray("branches").get(0).getAsJsonObject();

    assertThat(branch.getAsJsonArray("path").get(0).getAsJsonObject().get("detail").getAsString())
        .isEqualTo("B is in use: A is in TRANSIENT_FAILURE");
    assertThat(addresses(branch, "candidates")).containsExactly(at(b));
  }

  @Test
  void theHashAndItsSlotLeadToTheEndpointThatIsPicked() throws Exception {
    List<Backend> backends = List.of(mesh.backend("a"), mesh.backend("b"), mesh.backend("c"));
    mesh.controlPlane.serve(
        Xds.cluster("A", "RING_HASH"),
        Xds.endpoints("A", Xds.locality("z", 0, 1, backends.toArray(Backend[]::new))),
        Xds.listener("orders", "routes"),
        Xds.routes(
            "routes",
            Xds.host(
                "*",
                Xds.routeTo(
                    "",
                    """
                    {"cluster":"A","hash_policy":[{"header":{"header_name":"x-user"}}]}\
                    """))));
    mesh.startReady();
    App app = mesh.app();
    for (int i = 0; i < 8; i++) {
      String user = "u" + i;
      Backend taken = byName(backends, app.call(METHOD, "x-user", user).backend());

      JsonObject branch =
          explain(PATH + "&header=x-user:" + user)
              .getAsJsonArray("branches")
              .get(0)
              .getAsJsonObject();

      assertThat(addresses(branch, "candidates")).containsExactly(at(taken));
      assertThat(branch.getAsJsonObject("hash").get("source").getAsString())
          .isEqualTo("the route's hash policy");
      assertThat(branch.getAsJsonObject("hash").get("ring_slot").getAsInt()).isNotNegative();
    }
  }

  @Test
  void ofALargeClusterEveryEndpointIsToldOnOneLine() throws Exception {
    Backend a = mesh.backend("a");
    List<Integer> spare = IntStream.rangeClosed(1, 300).boxed().toList();
    serve(Xds.route("/", "A"), Xds.locality("p0", 0, 1, a), Xds.locality("p1\u2028", 1, 1, spare));
    mesh.startReady();
    assertThat(mesh.app().call(METHOD).backend()).isEqualTo("a");

    String answer = mesh.admin().get("/explain?" + PATH).body();

    assertThat(answer.lines()).hasSize(1);
    JsonObject branch =
        JsonParser.parseString(answer)
            .getAsJsonObject()
            .getAsJsonArray("branches")
            .get(0)
            .getAsJsonObject();
    assertThat(addresses(branch, "candidates")).containsExactly(at(a));
    assertThat(addresses(branch, "excluded"))
        .hasSize(300)
        .doesNotHaveDuplicates()
        .contains("127.0.0.1:1", "127.0.0.1:300");
    assertThat(branch.getAsJsonArray("excluded").get(299).getAsJsonObject().get("locality"))
        .isEqualTo(new JsonPrimitive("r/p1\u2028/s"));
    assertThat(answer).contains("priority 1 is not in use").doesNotContain("\u2028");
  }

  private static Backend byName(List<Backend> backends, String name) {
    return backends.stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void nothingIsSentConnectedOrCounted() throws Exception {
    Backend a = mesh.backend("a");
    serve(Xds.route("", "A"), Xds.locality("a", 0, 1, a));
    mesh.controlPlane.serve(Xds.cluster("A", "RING_HASH")); // connects when a request comes
    mesh.startReady();

    for (int i = 0; i < 20; i++) {
      assertThat(explain(PATH).get("decision").getAsString()).isEqualTo("forward");
    }

    assertThat(a.connections()).isZero();
    assertThat(mesh.admin().get("/metrics").body())
        .contains("outrigger_requests_started_total{forward=\"orders\"} 0");
    assertThat(mesh.admin().get("/lb").body()).contains("0 requests in flight");
  }

  @Test
  void beforeTheConfigurationAndWithoutRouteTheAnswerSaysSo() throws Exception {
    mesh.controlPlane.mute(true);
    mesh.start();
    assertThat(explain(PATH).get("decision").getAsString()).isEqualTo("wait");

    mesh.controlPlane.mute(false);
    serve(Xds.route("/only", "A"), Xds.locality("a", 0, 1, mesh.backend("a")));
    Await.until("it is known", () -> !explain(PATH).get("decision").getAsString().equals("wait"));

    JsonObject answer = explain(PATH);
    assertThat(answer.get("decision").getAsString()).isEqualTo("reject");
    JsonObject reject =
        answer.getAsJsonArray("branches").get(0).getAsJsonObject().getAsJsonObject("reject");
    assertThat(reject.get("reason").getAsString()).isEqualTo("no_route");
    assertThat(mesh.app().call(METHOD).message()).startsWith(reject.get("message").getAsString());
  }

  @Test
  void whatIsNoRequestIsRefusedWithTheReason() throws Exception {
    serve(Xds.route("", "A"), Xds.locality("a", 0, 1, mesh.backend("a")));
    mesh.start();
    Map<String, String> refused =
        Map.ofEntries(
            Map.entry("path=/a&forward=none", "no forward of that name; it is one of orders"),
            Map.entry("forward=orders", "path is missing"),
            Map.entry("path=a", "path does not start with a slash"),
            Map.entry("path=/a%20b", ":path has a forbidden character"),
            Map.entry("path=/a%0d%0ab", ":path has a forbidden character"),
            Map.entry("path=/a%7f", ":path has a forbidden character"),
            Map.entry("path=/a&header=x", "write a header as name:value"),
            Map.entry("path=/a&header=x:%0ay:1", "field value has a forbidden character: x"),
            Map.entry("path=/a&header=x%20y:1", "field name has a forbidden character"),
            Map.entry("path=/a&header=:path:/b", "pseudo-header"),
            Map.entry("path=/a&header=connection:close", "connection"),
            Map.entry("path=/a&header=grpc-timeout:5x", "grpc-timeout is malformed"),
            Map.entry("path=/a&method=CONNECT", "CONNECT"),
            Map.entry("path=/a&method=%20", "method"));

    refused.forEach(
        (query, reason) -> {
          Admin.Answer answer = mesh.admin().get("/explain?" + query);
          assertThat(answer.status()).as(query + answer.body()).isEqualTo(400);
          assertThat(answer.body()).contains(reason);
        });

    assertThat(mesh.admin().post("/explain?path=/a").status()).isEqualTo(405);
    assertThat(mesh.admin().send("GET /explain?path=/a", "Host: evil.example").status())
        .isEqualTo(403);
  }

  @Test
  void secretsAreNotRepeated() throws Exception {
    String secret =
        """
        {"match":{"prefix":"/","headers":[{"name":"authorization","string_match":\
        {"exact":"Bearer hidden"}}]},"route":{"cluster":"A"}}\
        """;
    serve(
        secret.replace("\\\n", "") + "," + Xds.route("", "A"),
        Xds.locality("a", 0, 1, mesh.backend("a")));
    mesh.startReady();

    String answer = explain(PATH + "&header=authorization:other&header=cookie:c=1").toString();

    assertThat(answer).doesNotContain("hidden", "other", "c=1").contains("[redacted]");
  }

  @Test
  void aForwardByAuthorityIsAskedWithOne() throws Exception {
    serve(Xds.route("", "A"), Xds.locality("a", 0, 1, mesh.backend("a")));
    mesh.with(Flag.FORWARD, "orders@127.0.0.1:0=xds:///*").start();
    assertThat(mesh.admin().get("/explain?" + PATH).status()).isEqualTo(400);
    assertThat(mesh.admin().get("/explain?" + PATH + "&header=:authority:orders").status())
        .isEqualTo(400); // no request has made it yet

    assertThat(mesh.appFor("orders").call(METHOD).backend()).isEqualTo("a");

    assertThat(explain(PATH + "&header=:authority:orders").get("decision").getAsString())
        .isEqualTo("forward");
  }

  private JsonObject explain(String query) {
    Admin.Answer answer = mesh.admin().get("/explain?" + query);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.object();
  }

  private static String at(Backend backend) {
    return "127.0.0.1:" + backend.port();
  }

  private static List<String> addresses(JsonObject branch, String member) {
    List<String> addresses = new ArrayList<>();
    for (JsonElement each : branch.getAsJsonArray(member)) {
      addresses.add(each.getAsJsonObject().get("address").getAsString());
    }
    return addresses;
  }

  private static String reason(JsonObject branch, Backend backend) {
    for (JsonElement each : branch.getAsJsonArray("excluded")) {
      if (each.getAsJsonObject().get("address").getAsString().equals(at(backend))) {
        return each.getAsJsonObject().get("reason").getAsString();
      }
    }
    throw new AssertionError("not excluded: " + backend.name());
  }
}
