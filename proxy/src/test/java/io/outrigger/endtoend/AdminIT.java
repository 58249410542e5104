package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import io.envoyproxy.envoy.config.core.v3.Metadata;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.grpc.Status;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.testing.JsonResources;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The admin server of a running sidecar, as CONTRACT section 6 describes it. */
@Timeout(600)
class AdminIT {
  private static final Set<String> NODE =
      Set.of("name", "policy", "state", "config", "detail", "children", "endpoints");
  private static final Set<String> ENDPOINT =
      Set.of(
          "address",
          "locality",
          "health",
          "weight",
          "state",
          "active_requests",
          "tls",
          "ejected",
          "last_interval");
  private static final Pattern SAMPLE =
      Pattern.compile(
          "[a-zA-Z_:][a-zA-Z0-9_:]*(\\{([a-zA-Z_][a-zA-Z0-9_]*=\"(\\\\.|[^\"\\\\])*\",?)*})? \\S+");

  private final Mesh mesh = new Mesh();
  private final ControlPlane controlPlane = mesh.controlPlane;

  @AfterEach
  void close() {
    mesh.close();
  }

  @Conformance("SC-52")
  @Test
  void readinessNeedsAFirstConfigurationOfEveryForwardAndIsNotLost() throws Exception {
    controlPlane.mute(true);
    mesh.with(Flag.FORWARD, "orders@127.0.0.1:0=xds:///orders", "users@127.0.0.1:0=xds:///users")
        .start();
    Admin admin = mesh.admin();
    assertThat(admin.get("/live").status()).isEqualTo(200);
    Admin.Answer waiting = admin.get("/ready");
    assertThat(waiting.status()).isEqualTo(503);
    assertThat(waiting.body()).contains("orders", "users");

    controlPlane.mute(false);
    mesh.serve();
    Await.until("orders is done", () -> !admin.get("/ready").body().contains("orders"));
    assertThat(admin.get("/ready").status()).isEqualTo(503);
    controlPlane.serve(Xds.inlineListener("users", "A"));
    Await.until("both are done", () -> admin.get("/ready").status() == 200);

    controlPlane.kill();
    Await.until("the loss is known", () -> admin.get("/xds").body().contains("lastError\""));
    assertThat(admin.get("/ready").status()).isEqualTo(200);
    assertThat(admin.get("/live").status()).isEqualTo(200);
  }

  @Test
  void forwardsTellWhereTheyListenAndHowTheyStand() throws Exception {
    mesh.serve();
    mesh.with(
            Flag.FORWARD,
            "orders@127.0.0.1:0=xds:///orders",
            "broken@127.0.0.1:0=xds:///broken",
            "later@127.0.0.1:0=xds:///later")
        .start();
    controlPlane.serve(JsonResources.socketListener("broken"));
    Await.until(
        "two have a result",
        () -> {
          String body = mesh.admin().get("/forwards").body();
          return body.contains("READY") && body.contains("ERROR");
        });

    List<String> seen = new ArrayList<>();
    for (JsonElement element : mesh.admin().get("/forwards").array()) {
      JsonObject forward = element.getAsJsonObject();
      assertThat(forward.keySet())
          .containsExactlyInAnyOrder(
              "name", "listen", "target", "state", "error", "endpoints", "failing");
      String name = forward.get("name").getAsString();
      assertThat(forward.get("listen").getAsString())
          .isEqualTo("127.0.0.1:" + mesh.address(name).getPort());
      assertThat(forward.get("target").getAsString()).isEqualTo("xds:///" + name);
      assertThat(forward.get("error").getAsString().isEmpty()).isEqualTo(name.equals("orders"));
      seen.add(name + " " + forward.get("state").getAsString());
    }
    assertThat(seen).containsExactly("orders READY", "broken ERROR", "later WAITING");
  }

  @Test
  void theTreeHasTheFieldsOfTheContract() throws Exception {
    Backend a = mesh.serve();
    mesh.startReady();
    App app = mesh.app();
    assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("a");
    app.send("test.Pay/Hold");
    Await.until("the call is held", () -> a.held() == 1);

    JsonObject lb = mesh.admin().get("/lb").object();
    assertThat(lb.keySet()).containsExactly("forwards");
    JsonObject forward = lb.getAsJsonArray("forwards").get(0).getAsJsonObject();
    assertThat(forward.keySet()).containsExactlyInAnyOrder("name", "target", "root");
    assertThat(forward.get("name").getAsString()).isEqualTo("orders");
    assertThat(forward.get("target").getAsString()).isEqualTo("xds:///orders");
    List<JsonObject> endpoints = new ArrayList<>();
    List<String> names = new ArrayList<>();
    walk(forward.getAsJsonObject("root"), names, endpoints);

    assertThat(names).contains("A", "r/a/s");
    assertThat(endpoints).hasSize(1);
    JsonObject endpoint = endpoints.get(0);
    assertThat(endpoint.get("address").getAsString()).isEqualTo("127.0.0.1:" + a.port());
    assertThat(endpoint.get("locality").getAsString()).isEqualTo("r/a/s");
    assertThat(endpoint.get("health").getAsString()).isEqualTo("HEALTHY");
    assertThat(endpoint.get("weight").getAsInt()).isEqualTo(1);
    assertThat(endpoint.get("state").getAsString()).isEqualTo("READY");
    assertThat(endpoint.get("active_requests").getAsInt()).isEqualTo(1);
    assertThat(endpoint.get("ejected").isJsonNull()).isTrue();
    assertThat(endpoint.getAsJsonObject("last_interval").keySet())
        .containsExactlyInAnyOrder("success", "failure");
    assertThat(mesh.admin().get("/lb?forward=orders").object()).isEqualTo(lb);
    assertThat(mesh.admin().get("/lb?forward=none").status()).isEqualTo(404);
  }

  @Test
  void aWordThatAParameterDoesNotKnowIsRefusedWithThoseItDoes() throws Exception {
    mesh.serve();
    mesh.startReady();
    Map<String, String> allowed =
        Map.of(
            "/lb?detail=what", "detail is calls or full, or left out",
            "/events?format=xml", "format is json or stream, or left out",
            "/lb?detail=all", "detail is calls or full, or left out",
            "/events?format=json&since=-1", "since is the number of an event, 0 or more",
            "/config_dump?type=cluster", "type is lds or rds or cds or eds, or left out",
            "/explain?path=/a/b&forward=no", "no forward of that name; it is one of orders");

    allowed.forEach(
        (path, reason) -> {
          Admin.Answer answer = mesh.admin().get(path);
          assertThat(answer.status()).as(path).isEqualTo(400);
          assertThat(answer.body().strip()).as(path).endsWith(reason);
        });
    Admin.Answer level = mesh.admin().post("/loggers/io.outrigger.x?level=LOUD");
    assertThat(level.status()).isEqualTo(400);
    assertThat(level.body()).contains("a level is OFF, ERROR");
    assertThat(mesh.admin().get("/history?forward=no").status()).isEqualTo(404);
  }

  @Test
  void aParameterThatAnEndpointDoesNotKnowIsRefusedWithThoseItDoes() throws Exception {
    mesh.serve();
    mesh.startReady();
    Map<String, String> known =
        Map.of(
            "/lb?frward=orders", "unknown parameter \"frward\"; known are forward, detail",
            "/events?format=json&evnets=1", "known are format, since",
            "/config_dump?typ=cds", "known are type, name",
            "/xds?type=cds", "known are name",
            "/explain?path=/a/b&headers=a:b",
                "known are forward, path, method, header, authority, serve, peer, source",
            "/history?minutes=5", "known are forward, cluster, endpoint",
            "/calls?forward=orders", "unknown parameter \"forward\"; there are none here",
            "/forwards?%1b[2J=1", "unknown parameter \"?[2J\"; there are none here");

    known.forEach(
        (path, reason) -> {
          Admin.Answer answer = mesh.admin().get(path);
          assertThat(answer.status()).as(path).isEqualTo(400);
          assertThat(answer.body().strip()).as(path).endsWith(reason);
        });
    for (String path : List.of("/overlay?rule=a", "/certs?instance=a", "/memory?side=app")) {
      assertThat(mesh.admin().get(path).status()).as(path).isEqualTo(400);
    }
    assertThat(mesh.admin().post("/drain?delay=5s").status()).isEqualTo(400);
    assertThat(mesh.admin().post("/loggers/io.outrigger.x?level=INFO&for=1m").status())
        .isEqualTo(400);
    for (String free : List.of("/ready?from=probe", "/live?x", "/metrics?name[]=up", "/?theme=a")) {
      assertThat(mesh.admin().get(free).status()).as(free).isEqualTo(200);
    }
  }

  @Test
  void anEndThatIsAskedForTwiceHappensOnce() throws Exception {
    mesh.serve();
    mesh.startReady();

    mesh.proxy().close();

    assertThatCode(mesh.proxy()::close).doesNotThrowAnyException();
  }

  private static void walk(JsonObject node, List<String> names, List<JsonObject> endpoints) {
    assertThat(node.keySet()).containsExactlyInAnyOrderElementsOf(NODE);
    names.add(node.get("name").getAsString());
    assertThat(node.get("policy").getAsString()).matches("[a-z_]+");
    assertThat(node.get("state").getAsString())
        .isIn("IDLE", "CONNECTING", "READY", "TRANSIENT_FAILURE");
    assertThat(node.get("config").isJsonObject()).isTrue();
    for (JsonElement endpoint : node.getAsJsonArray("endpoints")) {
      assertThat(endpoint.getAsJsonObject().keySet()).containsExactlyInAnyOrderElementsOf(ENDPOINT);
      endpoints.add(endpoint.getAsJsonObject());
    }
    node.getAsJsonArray("children")
        .forEach(child -> walk(child.getAsJsonObject(), names, endpoints));
  }

  @Test
  void metricsAreWellFormedAndCount() throws Exception {
    mesh.serve();
    mesh.startReady();
    App app = mesh.app();
    for (int i = 0; i < 3; i++) {
      assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("a");
    }

    Admin.Answer metrics = mesh.admin().get("/metrics");

    assertThat(metrics.status()).isEqualTo(200);
    assertThat(metrics.headers()).contains("text/plain");
    assertThat(metrics.body().lines().filter(line -> !line.startsWith("#")))
        .isNotEmpty()
        .allMatch(line -> SAMPLE.matcher(line).matches());
    assertThat(metrics.body())
        .contains("outrigger_requests_started_total{forward=\"orders\"} 3")
        .contains("grpc_xds_client_connected{")
        .contains("outrigger_control_loop_failures_total 0");
  }

  @Conformance({"A66-01", "A89-01"})
  @Test
  void callsAndAttemptsCarryTheNamesAndLabelsOfTheSpec() throws Exception {
    mesh.serve();
    mesh.with(Flag.METRIC_METHODS, "test.Pay/Charge").startReady();
    assertThat(mesh.app().call("test.Pay/Charge").backend()).isEqualTo("a");
    assertThat(mesh.app().call("test.Pay/Refund").backend()).isEqualTo("a");
    Await.until("both are counted", () -> metric("grpc_client_call_duration_seconds_count") == 2);

    String body = mesh.admin().get("/metrics").body();
    for (String method : List.of("other", "test.Pay/Charge")) {
      String target = "grpc_method=\"" + method + "\",";
      String ended =
          "grpc_lb_backend_service=\"A\","
              + target
              + "grpc_status=\"OK\",grpc_target=\"xds:///orders\"";
      assertThat(body)
          .contains(
              "grpc_client_attempt_started_total{" + target + "grpc_target=\"xds:///orders\"} 1.0",
              "grpc_client_attempt_duration_seconds_bucket{" + ended + ",le=\"0.0\"} 0",
              "grpc_client_attempt_duration_seconds_bucket{" + ended + ",le=\"1.0E-5\"} 0",
              "grpc_client_attempt_duration_seconds_count{" + ended + "} 1",
              "grpc_client_attempt_sent_total_compressed_message_size_bytes_bucket{"
                  + ended
                  + ",le=\"1024.0\"} 1",
              "grpc_client_attempt_rcvd_total_compressed_message_size_bytes_count{" + ended + "} 1",
              "grpc_client_call_duration_seconds_bucket{"
                  + target
                  + "grpc_status=\"OK\",grpc_target=\"xds:///orders\",le=\"100.0\"} 1",
              "grpc_client_call_retries_count{" + target + "grpc_target=\"xds:///orders\"} 0");
    }
  }

  @Test
  void optionalLabelsAreLeftOutOnRequest() throws Exception {
    mesh.serve();
    mesh.with(Flag.METRICS_LABELS, "grpc.security_level").startReady();
    assertThat(mesh.app().call("test.Pay/Charge").backend()).isEqualTo("a");
    Await.until("it is counted", () -> metric("grpc_client_call_duration_seconds_count") == 1);

    assertThat(mesh.admin().get("/metrics").body())
        .contains("grpc_subchannel_open_connections{grpc_security_level=\"none\"")
        .doesNotContain("grpc_lb_backend_service", "grpc_lb_locality");
  }

  @Test
  void metricsAreCompressedAndInOpenMetricsOnRequest() throws Exception {
    mesh.serve();
    mesh.startReady();
    URI uri = URI.create("http://" + mesh.admin().host() + "/metrics");
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .header("accept", "application/openmetrics-text; version=1.0.0, text/plain;q=0.5")
            .header("accept-encoding", "br, GZIP;q=0.8") // RFC 9110 8.4.1: case-insensitive
            .build();
    HttpResponse<byte[]> compressed =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofByteArray());

    assertThat(compressed.headers().firstValue("content-encoding")).contains("gzip");
    assertThat(compressed.headers().firstValue("vary")).contains("accept, accept-encoding");
    assertThat(compressed.headers().firstValue("content-type").orElseThrow())
        .startsWith("application/openmetrics-text");
    String text;
    try (var in = new GZIPInputStream(new ByteArrayInputStream(compressed.body()))) {
      text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    assertThat(text).contains("outrigger_").endsWith("# EOF\n");

    Admin.Answer plain = mesh.admin().get("/metrics");
    assertThat(plain.body()).contains("outrigger_").doesNotContain("# EOF");
  }

  @Test
  void serverInfoTellsWhatRunsAndWithWhichSettings() throws Exception {
    mesh.serve();
    mesh.with(Flag.MAX_CONNECTIONS, "77").startReady();

    JsonObject info = mesh.admin().get("/server_info").object();

    assertThat(info.keySet())
        .containsExactly("version", "commit", "jdk", "started", "uptime_s", "node", "flags");
    assertThat(info.get("jdk").getAsString()).isEqualTo(Runtime.version().toString());
    assertThat(Instant.parse(info.get("started").getAsString())).isBefore(Instant.now());
    assertThat(info.get("node").getAsString()).isNotEmpty();
    JsonObject flags = info.getAsJsonObject("flags");
    assertThat(flags.get("max-connections").getAsInt()).isEqualTo(77);
    assertThat(flags.get("max-concurrent-streams").getAsInt()).isEqualTo(1000);
  }

  @Conformance("A66-01")
  @Test
  void attemptsAreToldApartByLocalityWhereThatIsAskedFor() throws Exception {
    mesh.serve();
    mesh.with(Flag.METRIC_LOCALITY, "true").startReady();
    assertThat(mesh.app().call("test.Pay/Charge").backend()).isEqualTo("a");
    Await.until("it is counted", () -> metric("grpc_client_call_duration_seconds_count") == 1);

    String body = mesh.admin().get("/metrics").body();
    String place =
        "grpc_lb_backend_service=\"A\",grpc_lb_locality=\"{region=\\\"r\\\", zone=\\\"a\\\","
            + " sub_zone=\\\"s\\\"}\",grpc_method=\"other\",grpc_status=\"OK\"";
    assertThat(body)
        .contains("grpc_client_attempt_duration_seconds_count{" + place)
        .contains("grpc_client_attempt_sent_total_compressed_message_size_bytes_count{" + place)
        .contains("grpc_client_attempt_rcvd_total_compressed_message_size_bytes_count{" + place);
    assertThat(body.lines().filter(line -> line.startsWith("grpc_client_call_duration")))
        .isNotEmpty()
        .noneMatch(line -> line.contains("locality"));
  }

  @Conformance("A94-01")
  @Test
  void connectionsAreCountedWhereTheyAreMadeAndWhyTheyEnd() throws Exception {
    Backend a = mesh.serve();
    Backend b = mesh.absentBackend("b");
    controlPlane.serve(Xds.endpoints("A", a, b));
    mesh.startReady();
    assertThat(mesh.app().call("test.Pay/Charge").backend()).isEqualTo("a");

    Await.until("made", () -> metric("grpc_subchannel_open_connections") >= 1);
    Await.until("failed", () -> metric("grpc_subchannel_connection_attempts_failed_total") >= 1);
    assertThat(mesh.admin().get("/metrics").body())
        .contains("grpc_lb_backend_service=\"A\",grpc_lb_locality=\"{region=\\\"r\\\", zone=");

    a.kill();
    Await.until("lost", () -> metric("grpc_subchannel_disconnections_total") >= 1);
    Await.until("none is open", () -> metric("grpc_subchannel_open_connections") == 0);
    assertThat(metric("grpc_subchannel_connection_attempts_succeeded_total"))
        .isEqualTo(metric("grpc_subchannel_disconnections_total"))
        .isPositive();
  }

  @Conformance("A94-01")
  @Test
  void aGoAwayIsCountedByItsCode() throws Exception {
    Backend a = mesh.serve();
    mesh.startReady();
    assertThat(mesh.app().call("test.Pay/Charge").backend()).isEqualTo("a");

    a.leave();

    Await.until(
        "the end is counted",
        () ->
            mesh.admin()
                .get("/metrics")
                .body()
                .contains("grpc_disconnect_error=\"GOAWAY NO_ERROR\""));
  }

  /** The sum over all labels. */
  private double metric(String name) {
    return mesh.admin().metric(name);
  }

  @Test
  void callsAreCountedForEachForward() throws Exception {
    Backend a = mesh.serve();
    mesh.startReady();
    App app = mesh.app();
    assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("a");
    a.answering(Status.ABORTED);
    assertThat(app.call("test.Pay/Charge").code()).isEqualTo(Status.Code.ABORTED);
    Await.until( // an app may have its answer before the loop has counted it
        "both have ended", () -> calls().get("ended").getAsInt() == 2);

    JsonObject answer = mesh.admin().get("/calls").object();
    JsonObject calls = calls();

    assertThat(answer.keySet()).containsExactlyInAnyOrder("time", "since", "forwards");
    assertThat(Instant.parse(answer.get("since").getAsString()))
        .isBefore(Instant.parse(answer.get("time").getAsString()));
    assertThat(calls.get("name").getAsString()).isEqualTo("orders");
    assertThat(calls.get("started").getAsInt()).isEqualTo(2);
    assertThat(calls.get("active").getAsInt()).isZero();
    assertThat(calls.get("connections").getAsInt()).isEqualTo(1);
    assertThat(calls.getAsJsonObject("grpc_status").toString())
        .isEqualTo("{\"OK\":1,\"ABORTED\":1}");
    int durations = 0;
    for (JsonElement pair : calls.getAsJsonArray("durations")) {
      assertThat(pair.getAsJsonArray().get(0).getAsLong()).isPositive();
      durations += pair.getAsJsonArray().get(1).getAsInt();
    }
    assertThat(durations).isEqualTo(2);
  }

  private JsonObject calls() {
    JsonObject answer = mesh.admin().get("/calls").object();
    return answer.getAsJsonArray("forwards").get(0).getAsJsonObject();
  }

  @Test
  void thePageIsCompressedForThoseWhoCanReadIt() throws Exception {
    mesh.start();
    Admin admin = mesh.admin();
    String host = "Host: " + admin.host();

    Admin.Answer plain = admin.get("/page/app.js");
    Admin.Answer small = admin.send("GET /page/app.js", host, "Accept-Encoding: br, gzip");

    assertThat(plain.headers()).doesNotContain("content-encoding");
    assertThat(plain.body()).contains("class Page");
    assertThat(small.headers()).contains("content-encoding: gzip");
    assertThat(small.body().length()).isLessThan(plain.body().length());
    assertThat(plain.headers()).contains("trusted-types 'none'", "default-src 'none'");
  }

  @Test
  void strangersAreTurnedAwayAndGetChangesNothing() throws Exception {
    mesh.serve();
    mesh.startReady();
    Admin admin = mesh.admin();
    String host = "Host: " + admin.host();

    assertThat(admin.send("GET /ready", "Host: evil.example").status()).isEqualTo(403);
    assertThat(admin.send("GET /ready", host, "Host: evil.example").status()).isEqualTo(403);
    assertThat(admin.send("GET /ready", host, "Origin: http://evil.example").status())
        .isEqualTo(403);
    assertThat(admin.send("POST /drain", host).status()).isEqualTo(415);
    assertThat(admin.send("POST /drain", host, "Content-Type: text/plain").status()).isEqualTo(415);
    assertThat(
            admin
                .send("POST /drain", "Host: evil.example", "Content-Type: application/json")
                .status())
        .isEqualTo(403);
    for (String path : List.of("/drain", "/quit", "/loggers/io.outrigger?level=TRACE")) {
      assertThat(admin.get(path).status()).as(path).isBetween(400, 499);
    }
    assertThat(admin.get("/loggers").body()).doesNotContain("TRACE");
    assertThat(admin.get("/ready").status()).isEqualTo(200);
    assertThat(mesh.app().call("test.Pay/Charge").backend()).isEqualTo("a");
  }

  @Test
  void longCookiesAreReadAndExplained() throws Exception {
    mesh.serve();
    mesh.startReady();
    Admin admin = mesh.admin();
    String cookie = "a=" + "x".repeat(20_000);

    assertThat(admin.send("GET /ready", "Host: " + admin.host(), "Cookie: " + cookie).status())
        .isEqualTo(200);
    assertThat(admin.get("/explain?path=/test.Pay/Charge&header=cookie:" + cookie).status())
        .isEqualTo(200);
  }

  @Test
  void configDumpShowsWhatNobodyHereCanRead() throws Exception {
    mesh.serve();
    Any unknown =
        Any.newBuilder()
            .setTypeUrl("type.googleapis.com/example.Unknown")
            .setValue(ByteString.copyFromUtf8("secret-free bytes"))
            .build();
    mesh.startReady();
    Listener listener =
        JsonResources.any(Xds.listener("orders", "routes")).unpack(Listener.class).toBuilder()
            .setMetadata(Metadata.newBuilder().putTypedFilterMetadata("any", unknown))
            .build();
    controlPlane.pushRaw(ResourceType.LISTENER, Any.pack(listener), unknown);
    Await.until("the NACK has come", () -> !controlPlane.nacks().isEmpty());
    Admin admin = mesh.admin();

    Admin.Answer dump = admin.get("/config_dump");

    assertThat(dump.status()).isEqualTo(200);
    assertThat(dump.object().getAsJsonObject("node").get("id").getAsString()).isEqualTo(Mesh.NODE);
    assertThat(dump.object().getAsJsonArray("genericXdsConfigs")).hasSize(4);
    assertThat(dump.body()).contains("example.Unknown");
    assertThat(admin.get("/config_dump?type=cds").object().getAsJsonArray("genericXdsConfigs"))
        .hasSize(1);
    assertThat(admin.get("/config_dump?name=routes").object().getAsJsonArray("genericXdsConfigs"))
        .hasSize(1);
    assertThat(mesh.app().call("test.Pay/Charge").backend()).isEqualTo("a");
  }
}
