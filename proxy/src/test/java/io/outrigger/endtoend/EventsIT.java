package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.grpc.Status;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.JsonResources;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code /events} of a running sidecar (CONTRACT section 6). */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class EventsIT {
  private static final String METHOD = "test.Pay/Charge";
  private static final String FAILING =
      """
      "interval":"0.3s","base_ejection_time":"0.3s","max_ejection_percent":100,
      "enforcing_success_rate":0,"enforcing_failure_percentage":100,
      "failure_percentage_threshold":50,"failure_percentage_minimum_hosts":1,
      "failure_percentage_request_volume":2\
      """;

  private final Mesh mesh = new Mesh();

  @AfterEach
  void close() {
    mesh.close();
  }

  private void serve(String cluster, String... localities) {
    mesh.controlPlane.serve(
        cluster,
        Xds.endpoints("A", localities),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
  }

  @Test
  void anEventHasTheFieldsOfTheContractAndNumbersThatGrow() throws Exception {
    serve(Xds.cluster("A"), Xds.locality("a", 0, 1, mesh.backend("a")));
    mesh.startReady();

    List<JsonObject> events = events("");

    long before = 0;
    for (JsonObject event : events) {
      assertThat(event.keySet())
          .containsExactly("seq", "time", "kind", "forward", "subject", "message");
      assertThat(event.get("seq").getAsLong()).isGreaterThan(before);
      before = event.get("seq").getAsLong();
    }
    assertThat(events).extracting(each -> each.get("kind").getAsString()).contains("ack");
    assertThat(kinds()).contains("ads_connected");
    long last = before;
    assertThat(events("&since=" + last)) // what happened meanwhile
        .allMatch(event -> event.get("seq").getAsLong() > last);
    assertThat(events("&since=" + (last - 1)).get(0).get("seq").getAsLong()).isEqualTo(last);
    assertThat(mesh.admin().get("/events?format=json&since=-1").status()).isEqualTo(400);
    assertThat(mesh.admin().get("/events?format=json&since=x").status()).isEqualTo(400);
    assertThat(mesh.admin().get("/events?format=xml").status()).isEqualTo(400);
    assertThat(mesh.admin().post("/events").status()).isEqualTo(405);
    assertThat(mesh.admin().send("GET /events", "Host: evil.example").status()).isEqualTo(403);
  }

  @Test
  void acceptedAndRefusedVersionsAreToldWithPlaces() throws Exception {
    serve(Xds.cluster("A"), Xds.locality("a", 0, 1, mesh.backend("a")));
    mesh.startReady();

    mesh.controlPlane.serve(Xds.cluster("A", 7));
    JsonObject ack = await("ack", "A changed");
    assertThat(ack.get("subject").getAsString()).isEqualTo("A");

    mesh.controlPlane.serve(Xds.watchedCluster("A", "\"interval\":\"-1s\""));
    JsonObject nack = await("nack", "outlier_detection.interval");
    assertThat(nack.get("message").getAsString()).contains("cluster \"A\"", "A refused");
  }

  @Test
  void ejectionsAndReturnsAreToldWithTheirNumbers() throws Exception {
    Backend bad = mesh.backend("bad").quiet().answering(Status.INTERNAL);
    serve(
        Xds.watchedCluster("A", FAILING), Xds.locality("z", 0, 1, mesh.backend("a").quiet(), bad));
    mesh.startReady();
    mesh.load(mesh.app(), METHOD, 200);

    JsonObject eject = await("eject", "failure percentage 100.00 > 50");
    JsonObject uneject = await("uneject", "its time is over");

    assertThat(eject.get("forward").getAsString()).isEqualTo("orders");
    assertThat(eject.get("subject").getAsString()).isEqualTo("127.0.0.1:" + bad.port());
    assertThat(eject.get("message").getAsString()).contains("1 of 2 endpoints", "0 of 2 before");
    assertThat(uneject.get("subject")).isEqualTo(eject.get("subject"));
  }

  @Test
  void prioritiesEndpointsAndTheControlPlaneComeAndGoWithReasons() throws Exception {
    Backend first = mesh.backend("first");
    serve(
        Xds.cluster("A"),
        Xds.locality("p0", 0, 1, first),
        Xds.locality("p1", 1, 1, mesh.backend("second")));
    mesh.startReady();
    App app = mesh.app();
    assertThat(app.call(METHOD).backend()).isEqualTo("first");

    first.kill();
    JsonObject down = await("priority_switch", "priority 1 is in use now");
    assertThat(down.get("message").getAsString())
        .contains("instead of priority 0", "priority 0 is in TRANSIENT_FAILURE");
    assertThat(down.get("subject").getAsString()).isEqualTo("A");
    JsonObject failed = await("endpoint_state", "cannot be connected to");
    assertThat(failed.get("subject").getAsString()).isEqualTo("127.0.0.1:" + first.port());

    first.revive();
    await("endpoint_state", "connected again");
    await("priority_switch", "priority 0 is in use now");

    mesh.controlPlane.kill();
    await("ads_failed", "will try again");
  }

  @Test
  void aFullOutageIsToldAndShownAndSoIsItsEnd() throws Exception {
    Backend only = mesh.backend("only");
    serve(Xds.cluster("A"), Xds.locality("a", 0, 1, only));
    mesh.startReady();
    assertThat(mesh.app().call(METHOD).backend()).isEqualTo("only");
    assertThat(forward("orders")).startsWith("READY, 1 endpoints, 0 failing, error: ");
    assertThat(forward("orders")).endsWith("error: ");

    only.kill();
    JsonObject outage = await("all_endpoints_failing", "0 of 1 endpoints can be reached");
    assertThat(outage.get("subject").getAsString()).isEqualTo("A");
    assertThat(outage.get("forward").getAsString()).isEqualTo("orders");
    assertThat(outage.get("message").getAsString()).contains("127.0.0.1:" + only.port());
    assertThat(forward("orders"))
        .startsWith("READY, 1 endpoints, 1 failing, error: cluster A: calls fail; last error: ");
    assertThat(mesh.admin().get("/ready").status()).isEqualTo(200);
    assertThat(mesh.admin().get("/ready").body())
        .startsWith(
            "ready\n"
                + "forward orders: 0 of 1 backends reachable; cluster A: calls fail; last"
                + " error: ");

    only.revive();
    JsonObject over = await("endpoints_back", "1 of 1 endpoints can be reached");
    assertThat(over.get("subject").getAsString()).isEqualTo("A");
    assertThat(forward("orders")).isEqualTo("READY, 1 endpoints, 0 failing, error: ");
    assertThat(mesh.admin().get("/ready").body().strip()).isEqualTo("ready");
  }

  @Conformance("SC-52")
  @Test
  void aForwardIsToldToWaitToBeReadyAndToFailAndWhy() throws Exception {
    serve(Xds.cluster("A"), Xds.locality("a", 0, 1, mesh.backend("a")));
    mesh.controlPlane.serve(JsonResources.socketListener("broken"));
    mesh.with(
            Flag.FORWARD,
            "orders@127.0.0.1:0=xds:///orders",
            "broken@127.0.0.1:0=xds:///broken",
            "later@127.0.0.1:0=xds:///later")
        .start();

    JsonObject ready = await("forward_ready", "configured");
    assertThat(ready.get("forward").getAsString()).isEqualTo("orders");
    assertThat(ready.get("subject").getAsString()).isEqualTo("xds:///orders");
    JsonObject failed = await("forward_failed", "listener \"broken\"");
    assertThat(failed.get("forward").getAsString()).isEqualTo("broken");
    assertThat(forward("broken")).startsWith("ERROR, 0 endpoints, 0 failing, error: UNAVAILABLE");
    assertThat(forward("later"))
        .isEqualTo("WAITING, 0 endpoints, 0 failing, error: waiting for listener \"later\"");
    assertThat(mesh.admin().get("/ready").body())
        .contains("forward later has no configuration yet: waiting for listener \"later\"");
    JsonObject unknown = await("forward_failed", "listener \"later\" does not exist");
    assertThat(unknown.get("subject").getAsString()).isEqualTo("xds:///later");
    assertThat(forward("later")).startsWith("ERROR, 0 endpoints, 0 failing, error: UNAVAILABLE");
  }

  /** What {@code /forwards} says of a forward. */
  private String forward(String name) {
    for (JsonElement element : mesh.admin().get("/forwards").array()) {
      JsonObject forward = element.getAsJsonObject();
      if (forward.get("name").getAsString().equals(name)) {
        return "%s, %d endpoints, %d failing, error: %s"
            .formatted(
                forward.get("state").getAsString(),
                forward.get("endpoints").getAsInt(),
                forward.get("failing").getAsInt(),
                forward.get("error").getAsString());
      }
    }
    throw new AssertionError("no forward " + name);
  }

  @Test
  void routesThatTheDefaultLimitsAreTold() throws Exception {
    serve(Xds.cluster("A"), Xds.locality("a", 0, 1, mesh.backend("a")));
    mesh.controlPlane.serve(JsonResources.listener("orders", "A"));
    mesh.startReady();

    JsonObject told = await("default_timeout", "calls end after 15 s on 1 route");

    assertThat(told.get("subject").getAsString()).isEqualTo("xds:///orders");
  }

  @Test
  void aStreamGoesOnFromWhereItsReaderWas() throws Exception {
    serve(Xds.cluster("A"), Xds.locality("a", 0, 1, mesh.backend("a")));
    mesh.startReady();
    var address = mesh.proxy().address(Flag.ADMIN).orElseThrow();
    long last;
    try (var reader = new EventReader(address, "")) {
      mesh.controlPlane.serve(Xds.cluster("A", 7));
      JsonObject event;
      do {
        event = reader.next("ack");
      } while (!event.get("message").getAsString().endsWith("; A changed"));
      last = event.get("seq").getAsLong();
    }

    mesh.controlPlane.serve(Xds.cluster("A", 8));
    try (var again = new EventReader(address, "", "Last-Event-ID: " + last + "\r\n")) {
      JsonObject event = again.next();
      assertThat(event.get("seq").getAsLong()).isEqualTo(last + 1);
      assertThat(event.get("message").getAsString()).endsWith("; A changed");
    }
  }

  @Test
  void aDrainIsToldToWhoeverListens() throws Exception {
    serve(Xds.cluster("A"), Xds.locality("a", 0, 1, mesh.backend("a")));
    mesh.with(Flag.DRAIN_DELAY, "0s").startReady();
    try (var reader = new EventReader(mesh.proxy().address(Flag.ADMIN).orElseThrow(), "")) {
      var unused = mesh.proxy().drain();

      assertThat(reader.next("drain").get("message").getAsString()).startsWith("begun");
      assertThat(reader.next("drain").get("message").getAsString()).startsWith("over");
    }
  }

  @Test
  void hostileNamesStayText() throws Exception {
    String hostile = "<script>alert(1)</script>\\n\\ndata: x";
    serve(Xds.cluster("A"), Xds.locality("a", 0, 1, mesh.backend("a")));
    mesh.controlPlane.serve(
        Xds.routes("routes", Xds.host("*", Xds.route("/never", hostile), Xds.route("", "A"))),
        Xds.watchedCluster(hostile, "\"interval\":\"-1s\""));
    mesh.start();
    await("nack", "<script>");
    try (var reader = new EventReader(mesh.proxy().address(Flag.ADMIN).orElseThrow(), "")) {
      JsonObject nack = reader.next("nack"); // one event, however the name breaks lines
      assertThat(nack.get("message").getAsString()).contains("<script>");
    }
    assertThat(mesh.admin().get("/events?format=json").headers())
        .contains("content-type: application/json", "nosniff");
  }

  private List<String> kinds() {
    return events("").stream().map(event -> event.get("kind").getAsString()).toList();
  }

  /** The first event of a kind with that in its message. */
  private JsonObject await(String kind, String part) {
    Await.until(kind + " " + part, () -> events("").toString(), () -> find(kind, part).isPresent());
    return find(kind, part).orElseThrow();
  }

  private Optional<JsonObject> find(String kind, String part) {
    return events("").stream()
        .filter(event -> event.get("kind").getAsString().equals(kind))
        .filter(event -> event.get("message").getAsString().contains(part))
        .findFirst();
  }

  private List<JsonObject> events(String query) {
    List<JsonObject> events = new ArrayList<>();
    for (JsonElement event : mesh.admin().get("/events?format=json" + query).array()) {
      events.add(event.getAsJsonObject());
    }
    return events;
  }
}
