package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.grpc.Status;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Sessions that cookies carry, over real backends in two priorities (A55, A60, A75). */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class SessionIT {
  private static final String METHOD = "test.Pay/Charge";

  private final Mesh mesh = new Mesh();

  @AfterEach
  void close() {
    mesh.close();
  }

  private void start() throws Exception {
    start("3600s", "UNKNOWN", "HEALTHY");
  }

  private void start(String idleTimeout, String... statuses) throws Exception {
    mesh.controlPlane.serve(
        Xds.sessionCluster("pay", idleTimeout, statuses),
        Xds.sessionListener("orders", "routes", Visitor.COOKIE),
        Xds.routesTo("routes", "pay"));
    mesh.startReady();
  }

  private void endpoints(String... localities) {
    mesh.controlPlane.serve(Xds.endpoints("pay", localities));
  }

  private Visitor visitor() {
    return new Visitor(mesh.app());
  }

  /** One on each event loop, with the same session. */
  private List<Visitor> visitors(Backend home) {
    return Stream.generate(() -> visitor().bringing("127.0.0.1:" + home.port() + ";pay"))
        .limit(mesh.loops)
        .toList();
  }

  @Conformance({"A75-27", "A75-37", "A55-07", "SC-41"})
  @Test
  void aSessionFollowsItsBackendIntoAnotherPriority() throws Exception {
    Backend a = mesh.backend("a");
    Backend b = mesh.backend("b");
    endpoints(Xds.locality("x", 0, 1, a, b));
    start("3600s", "UNKNOWN", "HEALTHY");
    Visitor visitor = visitor();
    String home = visitor.visits();
    Backend mine = home.equals("a") ? a : b;
    Backend other = home.equals("a") ? b : a;
    List<Visitor> others = visitors(mine);
    assertThat(others).allSatisfy(each -> assertThat(each.visits()).isEqualTo(home));
    assertThat(visitor.visits(20)).containsExactly(home);
    assertThat(visitor.cookiesSet()).isEqualTo(1);
    assertThat(visitor.session()).isEqualTo("127.0.0.1:" + mine.port() + ";pay");
    assertThat(mine.lastHeard().header("cookie")).startsWith("a=b; " + Visitor.COOKIE + "=");

    endpoints(Xds.locality("x", 0, 1, other), Xds.locality("y", 1, 1, mine));

    App stranger = mesh.app();
    Await.until(
        "others leave it",
        () -> IntStream.range(0, 10).allMatch(i -> !stranger.call(METHOD).backend().equals(home)));
    assertThat(visitor.visits(20)).containsExactly(home);
    assertThat(others).allSatisfy(each -> assertThat(each.visits()).isEqualTo(home));
    assertThat(mine.connections()).isEqualTo(mesh.loops);
    assertThat(visitor.cookiesSet()).isEqualTo(1);
  }

  @Test
  void anExplanationSeesThroughTheSession() throws Exception {
    Backend a = mesh.backend("a");
    Backend b = mesh.backend("b");
    endpoints(Xds.locality("x", 0, 1, a, b));
    start();
    assertThat(explained("").get("begins").getAsBoolean()).isTrue();
    JsonObject early = explained(visitor().bringing("127.0.0.1:" + a.port() + ";pay").cookie());
    assertThat(early.get("kept").isJsonNull()).as("no session so far").isTrue();
    Visitor visitor = visitor();
    String home = visitor.visits();
    Backend mine = home.equals("a") ? a : b;
    String address = "127.0.0.1:" + mine.port();

    JsonObject session = explained(visitor.cookie());
    assertThat(session.get("cookie").getAsString()).isEqualTo(Visitor.COOKIE);
    assertThat(session.get("cluster").getAsString()).isEqualTo("pay");
    assertThat(session.get("kept").getAsBoolean()).isTrue();
    JsonObject endpoint = session.getAsJsonArray("endpoints").get(0).getAsJsonObject();
    assertThat(endpoint.get("address").getAsString()).isEqualTo(address);
    assertThat(endpoint.get("standing").getAsString()).isEqualTo("READY");
    JsonObject branch = branch(visitor.cookie());
    assertThat(branch.getAsJsonArray("candidates"))
        .singleElement()
        .satisfies(
            only -> {
              assertThat(only.getAsJsonObject().get("address").getAsString()).isEqualTo(address);
              assertThat(only.getAsJsonObject().get("probability").getAsDouble()).isEqualTo(1);
            });
    assertThat(branch.toString()).doesNotContain(visitor.cookie().substring(4));
    assertThat(visitor.visits(5)).containsExactly(home);

    JsonObject stray = explained(visitor().bringing("10.9.9.9:1;pay").cookie());
    assertThat(stray.get("kept").getAsBoolean()).isFalse();
    assertThat(stray.toString()).contains("not in the cluster");
  }

  private JsonObject explained(String cookie) {
    return branch(cookie).getAsJsonObject("session");
  }

  private JsonObject branch(String cookie) {
    String header =
        cookie.isEmpty()
            ? ""
            : "&header=cookie:" + URLEncoder.encode(cookie, StandardCharsets.UTF_8);
    return mesh.admin()
        .get("/explain?path=/" + METHOD + header)
        .object()
        .getAsJsonArray("branches")
        .get(0)
        .getAsJsonObject();
  }

  @Conformance("A75-28")
  @Test
  void aSessionThatBeganInAFailoverStays() throws Exception {
    Backend first = mesh.absentBackend("first");
    Backend second = mesh.backend("second");
    Backend third = mesh.backend("third");
    endpoints(Xds.locality("x", 0, 1, first), Xds.locality("y", 1, 1, second, third));
    start();
    Visitor visitor = visitor();
    String home = visitor.visits();
    assertThat(home).isIn("second", "third");

    first.revive();

    App stranger = mesh.app();
    Await.until("traffic is back", () -> stranger.call(METHOD).backend().equals("first"));
    assertThat(visitor.visits(20)).containsExactly(home);
    assertThat(stranger.call(METHOD).backend()).isEqualTo("first");
  }

  @Conformance({"A75-29", "A75-35", "A75-38"})
  @Test
  void aCookieOpensOneConnectionOfALoopThatEndsUnused() throws Exception {
    Backend first = mesh.backend("first");
    Backend second = mesh.backend("second");
    Backend third = mesh.backend("third");
    endpoints(Xds.locality("x", 0, 1, first), Xds.locality("y", 1, 1, second, third));
    start("3600s", "HEALTHY");
    List<Visitor> visitors = visitors(second);

    for (Visitor visitor : visitors) {
      assertThat(visitor.visits(5)).containsExactly("second");
      assertThat(visitor.cookiesSet()).isZero();
    }
    assertThat(second.connections()).isEqualTo(mesh.loops);
    assertThat(third.connections()).isZero();
    assertThat(mesh.app().call(METHOD).backend()).isEqualTo("first");
    mesh.controlPlane.serve(Xds.sessionCluster("pay", "1s", "HEALTHY"));
    Await.until("it is swept", () -> second.openConnections() == 0);
    assertThat(second.connections()).isEqualTo(mesh.loops);
    assertThat(visitors).allSatisfy(each -> assertThat(each.visits()).isEqualTo("second"));
    assertThat(second.connections()).isEqualTo(2 * mesh.loops);

    CompletableFuture<App.Reply> running =
        mesh.app().send("test.Pay/Hold", "cookie", Visitor.COOKIE + "=" + encoded(second, "pay"));
    Await.until("a call runs there", () -> second.held() == 1);
    endpoints(Xds.locality("x", 0, 1, first), Xds.locality("y", 1, 1, third));

    Visitor visitor = visitors.get(0);
    Await.until("it is out of reach", () -> visitor.visits().equals("first"));
    assertThat(visitor.session()).isEqualTo("127.0.0.1:" + first.port() + ";pay");
    second.release();
    assertThat(App.join(running).backend()).isEqualTo("second");
    Await.until("the connection is closed", () -> second.openConnections() == 0);
  }

  @Conformance({"A75-30", "A55-07"})
  @Test
  void aSessionWhoseBackendIsDownBeginsAnew() throws Exception {
    Backend first = mesh.backend("first");
    Backend absent = mesh.absentBackend("absent");
    endpoints(Xds.locality("x", 0, 1, first), Xds.locality("y", 1, 1, absent));
    start();
    Visitor visitor = visitor().bringing("127.0.0.1:" + absent.port() + ";pay");

    assertThat(visitor.visits(5)).containsExactly("first");

    assertThat(visitor.cookiesSet()).isEqualTo(1);
    assertThat(visitor.session()).isEqualTo("127.0.0.1:" + first.port() + ";pay");
  }

  @Conformance({"A75-33", "A75-44"})
  @Test
  void aBackendThatDrainsKeepsItsSessionsOnly() throws Exception {
    Backend a = mesh.backend("a");
    Backend b = mesh.backend("b");
    endpoints(Xds.locality("x", 0, 1, a, b));
    start("3600s", "HEALTHY", "DRAINING");
    Visitor visitor = visitor().bringing("127.0.0.1:" + a.port() + ";pay");
    assertThat(visitor.visits()).isEqualTo("a");

    endpoints(Xds.in("DRAINING", Xds.locality("x", 0, 1, a)), Xds.locality("y", 0, 1, b));

    App stranger = mesh.app();
    Await.until(
        "others leave it",
        () -> IntStream.range(0, 10).allMatch(i -> stranger.call(METHOD).backend().equals("b")));
    assertThat(visitor.visits(10)).containsExactly("a");
    assertThat(a.connections()).isBetween(1, mesh.loops);
    endpoints(Xds.in("UNHEALTHY", Xds.locality("x", 0, 1, a)), Xds.locality("y", 0, 1, b));
    Await.until("it is out of reach", () -> visitor.visits().equals("b"));
    Await.until("the connection is closed", () -> a.openConnections() == 0);
  }

  @Conformance({"A55-06", "A55-13", "A55-04", "A31-42"})
  @Test
  void aCookieBeatsTheWeights() throws Exception {
    Backend a = mesh.backend("a");
    Backend b = mesh.backend("b");
    String split =
        """
        {"timeout":"0s","weighted_clusters":{"clusters":[
          {"name":"pay","weight":50},{"name":"canary","weight":50}]}}\
        """;
    mesh.controlPlane.serve(
        Xds.sessionCluster("canary", "3600s", "HEALTHY"), Xds.endpoints("canary", b));
    endpoints(Xds.locality("x", 0, 1, a));
    start();
    mesh.controlPlane.serve(Xds.routes("routes", Xds.host("*", Xds.routeTo("", split))));
    App stranger = mesh.app();
    Set<String> seen = new HashSet<>();
    Await.until(
        "both get calls",
        () -> {
          seen.add(stranger.call(METHOD).backend());
          return seen.size() == 2;
        });

    Visitor visitor = visitor();
    String home = visitor.visits();
    assertThat(visitor.visits(200)).containsExactly(home);
    assertThat(visitor.cookiesSet()).isEqualTo(1);
    assertThat(visitor.session()).endsWith(home.equals("a") ? ";pay" : ";canary");
    Visitor prefixed = visitor().bringing("127.0.0.1:" + b.port() + ";cluster:canary");
    assertThat(prefixed.visits(20)).containsExactly("b");
    Visitor elsewhere = visitor().bringing("127.0.0.1:" + b.port() + ";gone");
    String found = elsewhere.visits();
    assertThat(elsewhere.cookiesSet()).isEqualTo(1);
    assertThat(elsewhere.visits(20)).containsExactly(found);
  }

  @Conformance("A55-12")
  @Test
  void attemptsPreferTheSessionsBackendAndTheLastOneIsNamed() throws Exception {
    Backend a = mesh.backend("a").answering(Status.UNAVAILABLE);
    Backend b = mesh.backend("b");
    endpoints(Xds.locality("x", 0, 1, a, b));
    start();
    String retrying =
        """
        {"cluster":"pay","timeout":"0s","retry_policy":{"retry_on":"unavailable","num_retries":3,
          "retry_back_off":{"base_interval":"0.001s"}}}\
        """;
    mesh.controlPlane.serve(Xds.routes("routes", Xds.host("*", Xds.routeTo("", retrying))));
    String session = "127.0.0.1:" + a.port() + ";pay";
    Await.until(
        "requests are retried",
        () -> {
          long before = a.started();
          visitor().bringing(session).call(METHOD);
          return a.started() == before + 4;
        });
    assertThat(b.started()).isZero();

    Visitor visitor = visitor().bringing(session);
    CompletableFuture<App.Reply> held =
        mesh.app().send("test.Pay/Hold", "cookie", Visitor.COOKIE + "=" + encoded(a, "pay"));
    Await.until("the call is there", () -> a.held() == 1);
    a.kill();
    Await.until("it is tried again", () -> b.held() == 1);
    b.release();

    App.Reply moved = App.join(held);
    assertThat(moved.backend()).isEqualTo("b");
    assertThat(moved.all("set-cookie"))
        .singleElement()
        .asString()
        .startsWith(Visitor.COOKIE + "=" + encoded(b, "pay"));
    assertThat(visitor.visits()).isEqualTo("b");
    assertThat(visitor.session()).isEqualTo("127.0.0.1:" + b.port() + ";pay");
  }

  @Conformance({"A55-11", "SC-42"})
  @Test
  void aRouteMayKeepNoSessions() throws Exception {
    Backend a = mesh.backend("a");
    endpoints(Xds.locality("x", 0, 1, a));
    start();
    String off =
        """
        {"match":{"prefix":"/test.Off/"},"route":{"cluster":"pay"},
         "typed_per_filter_config":{"session":{
           "@type":"type.googleapis.com/envoy.extensions.filters.http.stateful_session.v3\
        .StatefulSessionPerRoute","disabled":true}}}\
        """;
    mesh.controlPlane.serve(Xds.routes("routes", Xds.host("*", off, Xds.route("", "pay"))));
    App app = mesh.app();

    Await.until("it is off", () -> app.call("test.Off/Call").all("set-cookie").isEmpty());
    assertThat(app.call("test.On/Call").all("set-cookie")).hasSize(1);
    assertThat(app.call("test.On/Call").all("set-cookie")).hasSize(1); // nobody remembers
  }

  /** Whatever an app writes into its cookie, only the cluster's own endpoints are connected to. */
  @Test
  void cookiesReachNothingButTheClustersEndpoints() throws Exception {
    Backend a = mesh.backend("a");
    Backend outside = mesh.backend("outside");
    endpoints(Xds.locality("x", 0, 1, a));
    start();
    String foreign = "127.0.0.1:" + outside.port();
    String thousand =
        IntStream.range(1, 1_000).mapToObj(i -> "127.0.0.1:" + i).collect(Collectors.joining(","));
    List<Visitor> visitors = new ArrayList<>();
    for (String value :
        List.of(
            foreign + ";pay",
            foreign,
            foreign + ";orders",
            "[::ffff:7f00:1]:" + outside.port() + ";pay",
            thousand + "," + foreign + ";pay",
            foreign + ",".repeat(2_000) + ";pay",
            ";pay",
            "localhost:" + outside.port() + ";pay")) {
      visitors.add(visitor().bringing(value));
    }
    for (String text : List.of("%%%", "====", "A", "x".repeat(8_000))) {
      visitors.add(visitor().bringingRaw(text));
    }

    for (Visitor visitor : visitors) {
      assertThat(visitor.visits(2)).containsExactly("a");
      assertThat(visitor.cookiesSet()).isEqualTo(1);
      assertThat(visitor.session()).isEqualTo("127.0.0.1:" + a.port() + ";pay");
    }
    assertThat(outside.connections()).isZero();
    assertThat(a.openConnections()).isBetween(1, mesh.loops);
  }

  @Test
  void aFloodOfCookiesOpensOneConnectionToEachEndpoint() throws Exception {
    Backend first = mesh.backend("first");
    List<Backend> second = List.of(mesh.backend("b0"), mesh.backend("b1"), mesh.backend("b2"));
    endpoints(
        Xds.locality("x", 0, 1, first), Xds.locality("y", 1, 1, second.toArray(Backend[]::new)));
    start();
    App app = mesh.app();
    List<CompletableFuture<App.Reply>> calls = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      String cookie = Visitor.COOKIE + "=" + encoded(second.get(i % 3), "pay");
      calls.add(app.send(METHOD, "cookie", "x" + i + "=y; " + cookie));
    }

    for (int i = 0; i < calls.size(); i++) {
      App.Reply reply = App.join(calls.get(i));
      assertThat(reply.backend()).isEqualTo("b" + i % 3);
      assertThat(reply.all("set-cookie")).isEmpty();
    }
    assertThat(second)
        .extracting(Backend::connections)
        .allMatch(made -> made >= 1 && made <= mesh.loops);
  }

  private static String encoded(Backend backend, String cluster) {
    String value = "127.0.0.1:" + backend.port() + ";" + cluster;
    return Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8));
  }
}
