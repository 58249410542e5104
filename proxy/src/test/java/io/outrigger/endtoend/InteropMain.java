package io.outrigger.endtoend;

import io.grpc.Status;
import io.outrigger.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * What callers observe through Outrigger and through a real Envoy that have the same clusters,
 * endpoints and routes ({@code scripts/interop}). Only behaviour whose meaning the two share is
 * compared; where gRPC is meant to differ, that is said and must be so.
 *
 * <p>Argument: the Envoy binary. Ends with 1 when an observation differs.
 */
final class InteropMain {
  static final String PATH = "test.Pay/Charge";
  private static final Duration SETTLE = Duration.ofSeconds(20);

  /** For a first answer that a backend gives; some scenarios have none. */
  private static final Duration FIRST = Duration.ofSeconds(2);

  /** Fields of A50, with Envoy's other algorithms off; the largest share to eject is left open. */
  private static final String FAILURE_PERCENTAGE =
      """
      "interval":"1s","base_ejection_time":"300s","max_ejection_percent":%d,
      "enforcing_success_rate":0,"enforcing_consecutive_5xx":0,
      "enforcing_consecutive_gateway_failure":0,"enforcing_local_origin_success_rate":0,
      "enforcing_consecutive_local_origin_failure":0,
      "failure_percentage_threshold":50,"enforcing_failure_percentage":100,
      "failure_percentage_minimum_hosts":3,"failure_percentage_request_volume":5""";

  private final Path binary;
  private int differences;

  private InteropMain(Path binary) {
    this.binary = binary;
  }

  public static void main(String[] args) throws Exception {
    var interop = new InteropMain(Path.of(args[0]));
    System.out.printf("%-46s %-34s %-34s %s%n", "what", "envoy", "outrigger", "");
    interop.weightedClusters();
    interop.weightedLocalities();
    interop.ringAffinity();
    interop.headerRoutes();
    interop.unhealthyPriority();
    interop.aggregateFailover();
    interop.drops();
    interop.noRequestsAllowed();
    interop.ejection();
    interop.ejectedPriority();
    interop.routeTimeout();
    interop.noRoute();
    new SessionInterop(interop.binary, interop::print).run();
    System.out.println(
        interop.differences == 0
            ? "all alike, or different as they should be"
            : interop.differences + " observations differ");
    System.exit(interop.differences == 0 ? 0 : 1);
  }

  /** The same resources on both, with an app for each. */
  private final class Pair implements AutoCloseable {
    private final Mesh mesh;
    private final Envoy envoy;
    private final App throughEnvoy;
    private final App throughOutrigger;

    Pair(Mesh mesh, String... resources) throws Exception {
      this.mesh = mesh;
      mesh.controlPlane.serve(Xds.listener("orders", "routes")).serve(resources);
      mesh.startReady();
      envoy = mesh.keep(Envoy.start(binary, List.of(resources)));
      throughEnvoy = mesh.keep(new App(envoy.address()));
      throughOutrigger = mesh.app();
      for (App app : List.of(throughEnvoy, throughOutrigger)) {
        Await.within(FIRST, () -> app.call(PATH).status().isOk());
      }
    }

    void endpoints(String json) throws IOException {
      mesh.controlPlane.serve(json);
      envoy.endpoints(json);
    }

    @Override
    public void close() {
      mesh.close();
    }
  }

  private void weightedClusters() throws Exception {
    try (var mesh = new Mesh()) {
      Backend a = mesh.backend("a").quiet();
      Backend b = mesh.backend("b").quiet();
      String action =
          """
          {"timeout":"0s","weighted_clusters":{"clusters":[
            {"name":"A","weight":80},{"name":"B","weight":20}]}}""";
      var pair =
          new Pair(
              mesh,
              Xds.routes("routes", Xds.host("*", Xds.routeTo("", action))),
              Xds.cluster("A"),
              Xds.cluster("B"),
              Xds.endpoints("A", a),
              Xds.endpoints("B", b));
      shares("weighted clusters 80:20", pair, Map.of("a", 0.8, "b", 0.2));
    }
  }

  private void weightedLocalities() throws Exception {
    try (var mesh = new Mesh()) {
      Backend a = mesh.backend("a").quiet();
      Backend b = mesh.backend("b").quiet();
      Backend c = mesh.backend("c").quiet();
      var pair =
          new Pair(
              mesh,
              Xds.routesTo("routes", "A"),
              """
              {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"A",
               "type":"EDS","eds_cluster_config":{"eds_config":{"ads":{}}},
               "common_lb_config":{"locality_weighted_lb_config":{}}}""",
              Xds.endpoints("A", Xds.locality("x", 0, 3, a, b), Xds.locality("y", 0, 1, c)));
      shares("localities 3:1", pair, Map.of("a", 0.375, "b", 0.375, "c", 0.25));
    }
  }

  /** Both have the hashes of the same texts on the ring, so each key has the same backend. */
  private void ringAffinity() throws Exception {
    try (var mesh = new Mesh()) {
      Backend[] backends = backends(mesh, 7);
      String action =
          """
          {"cluster":"A","timeout":"0s","hash_policy":[{"header":{"header_name":"x-user"}}]}""";
      var pair =
          new Pair(
              mesh,
              Xds.routes("routes", Xds.host("*", Xds.routeTo("", action))),
              """
              {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"A",
               "type":"EDS","eds_cluster_config":{"eds_config":{"ads":{}}},
               "lb_policy":"RING_HASH","ring_hash_lb_config":{"minimum_ring_size":1024}}""",
              Xds.endpoints("A", backends));
      compareKeys("ring_hash: 300 keys, 7 endpoints", pair);
      pair.endpoints(
          Xds.endpoints("A", backends[0], backends[1], backends[3], backends[5], backends[6]));
      for (App app : List.of(pair.throughEnvoy, pair.throughOutrigger)) {
        Await.within(SETTLE, () -> IntStream.range(0, 60).noneMatch(i -> isGone(app, i)));
      }
      compareKeys("ring_hash: 300 keys, two endpoints less", pair);
    }
  }

  private static boolean isGone(App app, int key) {
    String backend = app.call(PATH, "x-user", "user-" + key).backend();
    return backend.equals("b2") || backend.equals("b4");
  }

  private void compareKeys(String what, Pair pair) {
    int same = 0;
    int keys = 300;
    var used = new TreeMap<String, Integer>();
    for (int i = 0; i < keys; i++) {
      String theirs = pair.throughEnvoy.call(PATH, "x-user", "user-" + i).backend();
      String ours = pair.throughOutrigger.call(PATH, "x-user", "user-" + i).backend();
      same += theirs.equals(ours) ? 1 : 0;
      used.merge(ours, 1, Integer::sum);
    }
    print(what, used.size() + " backends", same + " keys alike", same == keys);
  }

  private void headerRoutes() throws Exception {
    try (var mesh = new Mesh()) {
      Backend a = mesh.backend("a").quiet();
      Backend b = mesh.backend("b").quiet();
      String canary =
          """
          {"match":{"prefix":"","headers":[{"name":"x-canary","string_match":
            {"safe_regex":{"regex":"y.*s"}}}]},"route":{"cluster":"B","timeout":"0s"}}""";
      var pair =
          new Pair(
              mesh,
              Xds.routes("routes", Xds.host("*", canary, Xds.route("", "A"))),
              Xds.cluster("A"),
              Xds.cluster("B"),
              Xds.endpoints("A", a),
              Xds.endpoints("B", b));
      for (String value : List.of("yes", "yellows", "no", "eyes", "YES", "")) {
        same(
            "route by regex, x-canary=\"" + value + "\"",
            pair.throughEnvoy.call(PATH, "x-canary", value).backend(),
            pair.throughOutrigger.call(PATH, "x-canary", value).backend());
      }
    }
  }

  private void unhealthyPriority() throws Exception {
    try (var mesh = new Mesh()) {
      Backend a = mesh.backend("a").quiet();
      Backend b = mesh.backend("b").quiet();
      String both = Xds.endpoints("A", Xds.locality("x", 0, 1, a), Xds.locality("y", 1, 1, b));
      var pair =
          new Pair(
              mesh,
              Xds.routesTo("routes", "A"),
              """
              {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"A",
               "type":"EDS","eds_cluster_config":{"eds_config":{"ads":{}}},
               "common_lb_config":{"healthy_panic_threshold":{"value":0}}}""",
              both);
      shares("priority 0 is healthy", pair, Map.of("a", 1.0));
      pair.endpoints(both.replaceFirst("HEALTHY", "UNHEALTHY"));
      settle(pair, "b");
      shares("priority 0 is unhealthy", pair, Map.of("b", 1.0));
      pair.endpoints(both);
      settle(pair, "a");
      shares("priority 0 is healthy again", pair, Map.of("a", 1.0));
    }
  }

  private void aggregateFailover() throws Exception {
    try (var mesh = new Mesh()) {
      Backend a = mesh.backend("a").quiet();
      Backend b = mesh.backend("b").quiet();
      String panic = "\"common_lb_config\":{\"healthy_panic_threshold\":{\"value\":0}}";
      String first = Xds.endpoints("A", a);
      var pair =
          new Pair(
              mesh,
              Xds.routesTo("routes", "both"),
              """
              {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"both",
               "lb_policy":"CLUSTER_PROVIDED","connect_timeout":"5s","cluster_type":{
                 "name":"envoy.clusters.aggregate","typed_config":{
                 "@type":"type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig",
                 "clusters":["A","B"]}}}""",
              Xds.cluster("A").replaceFirst("}$", "," + panic + "}"),
              Xds.cluster("B").replaceFirst("}$", "," + panic + "}"),
              first,
              Xds.endpoints("B", b));
      shares("aggregate: its first cluster", pair, Map.of("a", 1.0));
      pair.endpoints(first.replace("HEALTHY", "UNHEALTHY"));
      settle(pair, "b");
      shares("aggregate: the first is unhealthy", pair, Map.of("b", 1.0));
    }
  }

  private void drops() throws Exception {
    try (var mesh = new Mesh()) {
      Backend a = mesh.backend("a").quiet();
      var pair =
          new Pair(
              mesh,
              Xds.routesTo("routes", "A"),
              Xds.cluster("A"),
              Xds.endpointsDropping(
                  "A",
                  """
                  {"category":"load","drop_percentage":{"numerator":30,"denominator":"HUNDRED"}}""",
                  Xds.locality("x", 0, 1, a)));
      shares("drop_overloads of 30 %", pair, Map.of("UNAVAILABLE", 0.3, "a", 0.7));
    }
  }

  private void noRequestsAllowed() throws Exception {
    try (var mesh = new Mesh()) {
      Backend a = mesh.backend("a").quiet();
      var pair =
          new Pair(mesh, Xds.routesTo("routes", "A"), Xds.cluster("A", 0), Xds.endpoints("A", a));
      shares("max_requests of 0", pair, Map.of("UNAVAILABLE", 1.0));
    }
  }

  private void ejection() throws Exception {
    try (var mesh = new Mesh()) {
      Backend[] backends = backends(mesh, 5);
      backends[0].answering(Status.UNAVAILABLE.withDescription("sick"));
      var pair =
          new Pair(
              mesh,
              Xds.routesTo("routes", "A"),
              Xds.watchedCluster("A", FAILURE_PERCENTAGE.formatted(50)),
              Xds.endpoints("A", backends));
      settleWithoutFailures(pair);
      shares(
          "failure percentage ejects the one that fails",
          pair,
          Map.of("b1", 0.25, "b2", 0.25, "b3", 0.25, "b4", 0.25));
    }
  }

  /** Detection is the cluster's, above its priorities (A75): ejected ones make way for the next. */
  private void ejectedPriority() throws Exception {
    try (var mesh = new Mesh()) {
      Backend[] backends = backends(mesh, 5);
      for (int i = 0; i < 3; i++) {
        backends[i].answering(Status.UNAVAILABLE.withDescription("sick"));
      }
      var pair =
          new Pair(
              mesh,
              Xds.routesTo("routes", "A"),
              Xds.watchedCluster("A", FAILURE_PERCENTAGE.formatted(100))
                  .replaceFirst(
                      "}$", ",\"common_lb_config\":{\"healthy_panic_threshold\":{\"value\":0}}}"),
              Xds.endpoints(
                  "A",
                  Xds.locality("x", 0, 1, backends[0], backends[1], backends[2]),
                  Xds.locality("y", 1, 1, backends[3], backends[4])));
      settleWithoutFailures(pair);
      shares("a priority that is ejected as a whole", pair, Map.of("b3", 0.5, "b4", 0.5));
    }
  }

  private static void settleWithoutFailures(Pair pair) {
    for (App app : List.of(pair.throughEnvoy, pair.throughOutrigger)) {
      Await.within(SETTLE, () -> !Answers.of(app, 40).containsKey("UNAVAILABLE"));
    }
  }

  /** A31: the caller is told of a deadline; Envoy has a gateway's time-out. */
  private void routeTimeout() throws Exception {
    try (var mesh = new Mesh()) {
      Backend a = mesh.backend("a").quiet();
      String action =
          """
          {"cluster":"A","timeout":"0.3s"}""";
      var pair =
          new Pair(
              mesh,
              Xds.routes("routes", Xds.host("*", Xds.routeTo("", action))),
              Xds.cluster("A"),
              Xds.endpoints("A", a));
      var theirs = pair.throughEnvoy.call("test.Pay/Hold").code();
      var ours = pair.throughOutrigger.call("test.Pay/Hold").code();
      print(
          "route timeout (gRPC: DEADLINE_EXCEEDED)",
          theirs.toString(),
          ours.toString(),
          theirs == Status.Code.UNAVAILABLE && ours == Status.Code.DEADLINE_EXCEEDED);
    }
  }

  /** gRPC's clients have no 404 to give. */
  private void noRoute() throws Exception {
    try (var mesh = new Mesh()) {
      Backend a = mesh.backend("a").quiet();
      var pair =
          new Pair(
              mesh,
              Xds.routes("routes", Xds.host("*", Xds.route("/test.Pay/", "A"))),
              Xds.cluster("A"),
              Xds.endpoints("A", a));
      var theirs = pair.throughEnvoy.call("other.Svc/Call").code();
      var ours = pair.throughOutrigger.call("other.Svc/Call").code();
      print(
          "no route (gRPC: UNAVAILABLE, not 404)",
          theirs.toString(),
          ours.toString(),
          theirs == Status.Code.UNIMPLEMENTED && ours == Status.Code.UNAVAILABLE);
    }
  }

  private static Backend[] backends(Mesh mesh, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> mesh.backend("b" + i).quiet())
        .toArray(Backend[]::new);
  }

  private static void settle(Pair pair, String backend) {
    for (App app : List.of(pair.throughEnvoy, pair.throughOutrigger)) {
      Await.within(SETTLE, () -> Answers.of(app, 10).keySet().equals(Set.of(backend)));
    }
  }

  /** Both have these shares, as far as chance goes. */
  private void shares(String what, Pair pair, Map<String, Double> expected) {
    int calls = 600;
    Map<String, Integer> theirs = Answers.of(pair.throughEnvoy, calls);
    Map<String, Integer> ours = Answers.of(pair.throughOutrigger, calls);
    print(
        what,
        theirs.toString(),
        ours.toString(),
        Answers.fit(theirs, expected, calls) && Answers.fit(ours, expected, calls));
  }

  private void same(String what, String theirs, String ours) {
    print(what, theirs, ours, theirs.equals(ours));
  }

  private void print(String what, String theirs, String ours, boolean fine) {
    differences += fine ? 0 : 1;
    System.out.printf("%-46s %-34s %-34s %s%n", what, theirs, ours, fine ? "" : "DIFFERS");
  }
}
