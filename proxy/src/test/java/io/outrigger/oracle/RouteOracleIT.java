package io.outrigger.oracle;

import static io.outrigger.program.testing.mesh.MeshResources.prefix;
import static io.outrigger.program.testing.mesh.MeshResources.route;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.config.route.v3.WeightedCluster;
import io.outrigger.oracle.Twins.Answers;
import io.outrigger.program.testing.mesh.MeshResources;
import io.outrigger.testing.Conformance;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where requests go: the sidecar and gRPC's own client must agree. */
class RouteOracleIT {
  private static final String TARGET = "orders.shop.example";
  private static final int CONFIGURATIONS = 10;
  private static final int REQUESTS = 60;

  private static final List<NamedBackend> backends = new ArrayList<>();
  private static Twins twins;

  @BeforeAll
  static void start() {
    twins = new Twins(TARGET);
    for (String name : RandomRoutes.CLUSTERS) {
      var backend = new NamedBackend(name);
      backends.add(backend);
      twins.cluster(backend);
    }
  }

  @AfterAll
  static void stop() {
    twins.close();
    for (NamedBackend backend : backends) {
      backend.close();
    }
    backends.clear();
  }

  @Conformance({"A28-03", "A28-04", "A28-06", "A28-08", "A28-09", "A31-05"})
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void randomRequestsMeetRandomRoutesAlike(long seed) {
    var random = new RandomRoutes(seed);
    List<String> differences = new ArrayList<>();
    Map<String, Integer> outcomes = new LinkedHashMap<>();

    for (int i = 0; i < CONFIGURATIONS; i++) {
      List<Route> routes = random.routes();
      List<Request> requests = Stream.generate(random::request).limit(REQUESTS).toList();
      twins.serveRoutes(routes);
      List<String> ours = twins.outrigger().askAll(requests);
      List<String> theirs = twins.grpcJava().askAll(requests);
      for (int r = 0; r < REQUESTS; r++) {
        outcomes.merge(ours.get(r), 1, Integer::sum);
        if (!ours.get(r).equals(theirs.get(r))) {
          differences.add(
              requests.get(r) + ": " + ours.get(r) + ", not " + theirs.get(r) + in(routes));
        }
      }
    }

    assertThat(differences).isEmpty();
    // Outcomes differ, so the agreement says something.
    assertThat(outcomes).hasSizeGreaterThan(2);
  }

  private static String in(List<Route> routes) {
    var text = new StringBuilder();
    routes.forEach(
        route ->
            text.append("\n    ")
                .append(TextFormat.printer().emittingSingleLine(true).printToString(route)));
    return text.toString();
  }

  @Conformance({"A28-03", "A28-05", "A28-06", "A28-08", "A28-09"})
  @Test
  void everyRowOfTheTableMatchesAsItSays() {
    serve(RouteCases.AGREED);

    assertThat(surprises(RouteCases.AGREED)).isEmpty();
  }

  @Conformance({"A28-03", "A28-07"})
  @Test
  void acceptedDifferencesAreThese() {
    serve(RouteCases.ACCEPTED);

    assertThat(surprises(RouteCases.ACCEPTED)).isEmpty();
  }

  private static void serve(List<RouteCases.Case> cases) {
    List<Route> routes = new ArrayList<>();
    for (int i = 0; i < cases.size(); i++) {
      routes.add(route(cases.get(i).match(i), "alpha"));
    }
    routes.add(route(prefix("/"), "beta"));
    twins.serveRoutes(routes);
  }

  /** The rows whose answers are not those that the row says. */
  private static List<String> surprises(List<RouteCases.Case> cases) {
    List<String> surprises = new ArrayList<>();
    for (int i = 0; i < cases.size(); i++) {
      Answers answers = twins.ask(cases.get(i).request(i));
      if (!answers.equals(cases.get(i).answers("alpha", "beta"))) {
        surprises.add(cases.get(i).name() + ": " + answers);
      }
    }
    return surprises;
  }

  @Conformance("A28-01")
  @ParameterizedTest(name = "{0} | {1} | {2}: {3}")
  @CsvSource({
    "orders.shop.example, *.shop.example, *,                 alpha",
    "*,                   *.shop.example, orders.shop.example, gamma",
    "*.example,           *.shop.example, orders.*,          beta",
    "orders.*,            orders.shop.*,  *,                 beta",
    "other.*,             *.other,        *,                 gamma",
    "other,               ORDERS.Shop.example, *,            beta",
    "*.shop.example,      *orders.shop.example, *,           alpha",
  })
  void theBestDomainDecides(String alpha, String beta, String gamma, String answer) {
    twins.serve(hosts(alpha, beta, gamma));
    twins.awaitVersion();

    assertThat(twins.ask(Request.of("/pkg.Svc/Get"))).isEqualTo(Answers.both(answer));
  }

  /** An accepted difference: gRPC's client looks at the length of a wildcard before its kind. */
  @Conformance("A28-01")
  @Test
  void aSuffixGoesBeforeALongerPrefix() {
    twins.serve(hosts("orders.*", "*e", "*"));
    twins.awaitVersion();

    assertThat(twins.ask(Request.of("/pkg.Svc/Get"))).isEqualTo(new Answers("beta", "alpha"));
  }

  @Conformance("A28-01")
  @Test
  void noDomainMatchesAndAllRequestsFail() {
    twins.serveRoutes(List.of(route(prefix("/"), "alpha")));

    twins.serve(hosts("other", "orders", "*.orders.shop.example"));

    var request = Request.of("/pkg.Svc/Get");
    twins.outrigger().awaitAnswer(request, "UNAVAILABLE");
    twins.grpcJava().awaitAnswer(request, "UNAVAILABLE");
  }

  private static List<VirtualHost> hosts(String... domains) {
    List<VirtualHost> hosts = new ArrayList<>();
    for (int i = 0; i < domains.length; i++) {
      String cluster = RandomRoutes.CLUSTERS.get(i);
      hosts.add(MeshResources.host(domains[i], List.of(route(prefix("/"), cluster))));
    }
    return hosts;
  }

  @Conformance("A31-34")
  @Test
  void weightsAreKept() {
    var weighted =
        WeightedCluster.newBuilder().addClusters(weight("alpha", 1)).addClusters(weight("beta", 3));
    twins.serveRoutes(
        List.of(route(prefix("/"), RouteAction.newBuilder().setWeightedClusters(weighted))));

    // 7.3 standard deviations each: one run in 10^12 fails
    assertThat(alphas(twins.outrigger(), 4000)).isBetween(800, 1200);
    assertThat(alphas(twins.grpcJava(), 1000)).isBetween(150, 350);
  }

  private static int alphas(Client client, int calls) {
    List<String> answers = client.askAll(Collections.nCopies(calls, Request.of("/pkg.Svc/Get")));
    assertThat(answers).containsOnly("alpha", "beta");
    return Collections.frequency(answers, "alpha");
  }

  private static WeightedCluster.ClusterWeight weight(String cluster, int weight) {
    return WeightedCluster.ClusterWeight.newBuilder()
        .setName(cluster)
        .setWeight(UInt32Value.of(weight))
        .build();
  }
}
