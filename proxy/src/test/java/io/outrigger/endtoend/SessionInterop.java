package io.outrigger.endtoend;

import io.outrigger.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Sessions that a cookie carries, through Outrigger and through Envoy. The two agree on all but
 * what the cookie's value says: Envoy's is a protobuf with the address and when it expires, that of
 * gRPC has the endpoint's addresses and the cluster (A60).
 */
final class SessionInterop {
  /** Takes one comparison. */
  interface Table {
    void row(String what, String theirs, String ours, boolean fine);
  }

  private static final Duration SETTLE = Duration.ofSeconds(20);
  private static final String ROUTES = Xds.routesTo("routes", "A");

  private final Path binary;
  private final Table table;

  SessionInterop(Path binary, Table table) {
    this.binary = binary;
    this.table = table;
  }

  void run() throws Exception {
    attributes("{\"name\":\"sid\"}");
    attributes("{\"name\":\"sid\",\"ttl\":\"3600s\"}");
    attributes("{\"name\":\"sid\",\"path\":\"/test.Pay\",\"ttl\":\"60s\"}");
    values();
    healths();
    hostileCookies();
  }

  /** One app for each proxy. */
  private record Apps(Envoy envoy, App theirs, App ours) {
    Visitor throughEnvoy() {
      return new Visitor(theirs);
    }

    Visitor throughOutrigger() {
      return new Visitor(ours);
    }
  }

  private Apps start(Mesh mesh, String cookie, String endpoints) throws Exception {
    String cluster = Xds.sessionCluster("A", "3600s", "UNKNOWN", "HEALTHY", "DRAINING");
    String filter = Xds.sessionFilter(cookie);
    mesh.controlPlane.serve(
        Xds.filteredListener("orders", "routes", filter), ROUTES, cluster, endpoints);
    mesh.startReady();
    Envoy envoy = mesh.keep(Envoy.start(binary, List.of(ROUTES, cluster, endpoints), filter));
    var apps = new Apps(envoy, mesh.keep(new App(envoy.address())), mesh.app());
    for (App app : List.of(apps.theirs(), apps.ours())) {
      Await.within(SETTLE, () -> app.call(InteropMain.PATH).status().isOk());
    }
    return apps;
  }

  private void attributes(String cookie) throws Exception {
    try (var mesh = new Mesh()) {
      Apps apps = start(mesh, cookie, Xds.endpoints("A", mesh.backend("a").quiet()));
      for (String path : List.of("test.Pay/Charge", "test.Payment/Charge")) {
        String theirs = attributesOf(apps.theirs().call(path));
        String ours = attributesOf(apps.ours().call(path));
        table.row("/" + path + ": " + cookie, theirs, ours, theirs.equals(ours));
      }
    }
  }

  /** The name and the attributes of the cookie that is set, in alphabetical order. */
  private static String attributesOf(App.Reply reply) {
    return reply.all("set-cookie").stream()
        .flatMap(field -> Arrays.stream(field.split("; ")))
        .map(part -> part.replaceFirst("^sid=.*", "sid"))
        .sorted()
        .collect(Collectors.joining("; "));
  }

  /** Whose cookie is understood where. */
  private void values() throws Exception {
    try (var mesh = new Mesh()) {
      Backend[] backends =
          IntStream.range(0, 8).mapToObj(i -> mesh.backend("b" + i)).toArray(Backend[]::new);
      Apps apps = start(mesh, "{\"name\":\"sid\"}", Xds.endpoints("A", backends));
      Visitor theirs = apps.throughEnvoy();
      Visitor ours = apps.throughOutrigger();
      row("20 calls of a session", stay(theirs), stay(ours), "stays, 1 set", "stays, 1 set");

      row(
          "a cookie that Envoy made (A60: not readable)",
          "",
          brought(theirs.cookie(), apps.throughOutrigger()),
          "",
          "begins anew");
      row(
          "a cookie that Outrigger made",
          brought(ours.cookie(), apps.throughEnvoy()),
          "",
          "begins anew",
          "");

      String old = "127.0.0.1:" + backends[5].port();
      Visitor oldTheirs = apps.throughEnvoy().bringing(old);
      Visitor oldOurs = apps.throughOutrigger().bringing(old);
      row(
          "base64 of ip:port (A55, older Envoys)",
          oldTheirs.visits(20) + ", " + oldTheirs.cookiesSet() + " set",
          oldOurs.visits(20) + ", " + oldOurs.cookiesSet() + " set",
          "[b5], 0 set",
          "[b5], 1 set"); // A55-05: it is replaced by one that names the cluster
    }
  }

  private static String stay(Visitor visitor) {
    int backends = visitor.visits(20).size();
    return (backends == 1 ? "stays" : backends + " backends")
        + ", "
        + visitor.cookiesSet()
        + " set";
  }

  private static String brought(String cookie, Visitor visitor) {
    visitor.bringingRaw(cookie.substring(cookie.indexOf('=') + 1)).visits();
    return visitor.cookiesSet() == 0 ? "is honoured" : "begins anew";
  }

  /** An endpoint that drains keeps its sessions; one that is unhealthy does not. */
  private void healths() throws Exception {
    try (var mesh = new Mesh()) {
      Backend a = mesh.backend("a");
      Backend b = mesh.backend("b");
      Apps apps =
          start(
              mesh,
              "{\"name\":\"sid\"}",
              Xds.endpoints("A", Xds.locality("x", 0, 1, a), Xds.locality("y", 0, 1, b)));
      for (String health : List.of("DRAINING", "UNHEALTHY", "HEALTHY")) {
        String old = "127.0.0.1:" + a.port();
        Map<App, Visitor> visitors = new LinkedHashMap<>();
        visitors.put(apps.theirs(), apps.throughEnvoy().bringing(old));
        visitors.put(apps.ours(), apps.throughOutrigger().bringing(old));
        String next =
            Xds.endpoints(
                "A", Xds.in(health, Xds.locality("x", 0, 1, a)), Xds.locality("y", 0, 1, b));
        mesh.controlPlane.serve(next);
        apps.envoy().endpoints(next);
        Set<String> strangers = health.equals("HEALTHY") ? Set.of("a", "b") : Set.of("b");
        for (App app : visitors.keySet()) {
          Await.within(SETTLE, () -> Answers.of(app, 20).keySet().equals(strangers));
        }
        String expected = health.equals("UNHEALTHY") ? "[b]" : "[a]";
        row(
            "a session whose endpoint is " + health,
            visitors.get(apps.theirs()).visits(10).toString(),
            visitors.get(apps.ours()).visits(10).toString(),
            expected,
            expected);
      }
    }
  }

  /** Whatever a cookie says, calls are answered, and nothing but the cluster is connected to. */
  private void hostileCookies() throws Exception {
    try (var mesh = new Mesh()) {
      Backend a = mesh.backend("a");
      Backend outside = mesh.backend("outside");
      Apps apps = start(mesh, "{\"name\":\"sid\"}", Xds.endpoints("A", a));
      String foreign = "127.0.0.1:" + outside.port();
      String thousand =
          IntStream.range(1, 1_000)
              .mapToObj(i -> "127.0.0.1:" + i)
              .collect(Collectors.joining(","));
      Map<String, String> cookies = new LinkedHashMap<>();
      cookies.put("an address outside the cluster", base64(foreign));
      cookies.put("and the cluster", base64(foreign + ";A"));
      cookies.put("and another cluster", base64(foreign + ";B"));
      cookies.put("in Envoy's form", envoys(foreign));
      cookies.put("1,000 addresses", base64(thousand + "," + foreign + ";A"));
      cookies.put("only a cluster", base64(";A"));
      cookies.put("not base64", "%%%");
      cookies.put("only padding", "====");
      cookies.put("nothing", "");
      cookies.put("8,000 characters", "x".repeat(8_000));
      cookies.forEach(
          (what, text) ->
              row(
                  "hostile cookie: " + what,
                  hostile(apps.throughEnvoy().bringingRaw(text)),
                  hostile(apps.throughOutrigger().bringingRaw(text)),
                  "[a], 1 set",
                  "[a], 1 set"));
      row(
          "connections outside the cluster",
          "",
          String.valueOf(outside.connections()),
          "",
          "0"); // by either: it is one backend
    }
  }

  private static String hostile(Visitor visitor) {
    return visitor.visits(3) + ", " + visitor.cookiesSet() + " set";
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  /** A message of which the first field is the address. */
  private static String envoys(String address) {
    return base64("\n" + (char) address.length() + address);
  }

  private void row(
      String what, String theirs, String ours, String theirsExpected, String oursExpected) {
    table.row(what, theirs, ours, theirs.equals(theirsExpected) && ours.equals(oursExpected));
  }
}
