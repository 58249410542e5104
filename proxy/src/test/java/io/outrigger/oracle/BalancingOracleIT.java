package io.outrigger.oracle;

import static io.outrigger.program.testing.mesh.MeshResources.assignment;
import static io.outrigger.program.testing.mesh.MeshResources.locality;
import static io.outrigger.program.testing.mesh.MeshResources.prefix;
import static io.outrigger.program.testing.mesh.MeshResources.route;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import com.google.protobuf.TextFormat;
import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.cluster.v3.CircuitBreakers;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.HealthStatus;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment.Policy;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.type.v3.FractionalPercent;
import io.grpc.CallOptions;
import io.outrigger.oracle.Client.Pending;
import io.outrigger.oracle.Twins.Answers;
import io.outrigger.program.testing.mesh.MeshResources;
import io.outrigger.testing.Conformance;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of a request in its cluster: the sidecar and gRPC's own client must agree. */
class BalancingOracleIT {
  private static final Request GET = Request.of("/pkg.Svc/Get");
  private static final Request WAIT = Request.of("/" + NamedBackend.SILENT + "/Wait");
  private static final CallOptions NO_DEADLINE = CallOptions.DEFAULT;

  private NamedBackend alpha;
  private NamedBackend beta;
  private Twins twins;

  @BeforeEach
  void start() {
    alpha = new NamedBackend("alpha");
    beta = new NamedBackend("beta");
    twins = new Twins("orders");
  }

  @AfterEach
  void stop() {
    twins.close();
    alpha.close();
    beta.close();
  }

  private void serve(Cluster.Builder cluster, ClusterLoadAssignment endpoints) {
    twins.cluster(cluster.build(), endpoints);
    var action = RouteAction.newBuilder().setCluster("pay");
    action.setTimeout(Duration.getDefaultInstance()); // calls without an answer outlive the test
    twins.serveRoutes(List.of(route(prefix("/"), action)));
  }

  private void serve(ClusterLoadAssignment endpoints) {
    serve(pay(), endpoints);
  }

  private static Cluster.Builder pay() {
    return MeshResources.cluster("pay").toBuilder();
  }

  @Conformance({"A56-02", "A56-06"})
  @Test
  void aDeadPriorityIsLeftAndTakenAgain() {
    serve(assignment("pay", locality("a", 0, 1, alpha.port()), locality("b", 1, 1, beta.port())));
    assertThat(twins.ask(GET)).isEqualTo(Answers.both("alpha"));

    alpha.kill();
    twins.outrigger().awaitAnswer(GET, "beta");
    twins.grpcJava().awaitAnswer(GET, "beta");

    alpha.revive();
    twins.outrigger().awaitAnswer(GET, "alpha");
    twins.grpcJava().awaitAnswer(GET, "alpha");
  }

  @Conformance("A56-02")
  @Test
  void aRefusingPriorityIsPassedOverAtOnce() {
    alpha.kill();
    serve(assignment("pay", locality("a", 0, 1, alpha.port()), locality("b", 1, 1, beta.port())));

    assertThat(twins.ask(GET)).isEqualTo(Answers.both("beta"));
  }

  @Conformance("A27-08")
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "HEALTHY,   alpha",
    "UNKNOWN,   alpha",
    "UNHEALTHY, beta",
    "TIMEOUT,   beta",
    "DEGRADED,  beta",
    "DRAINING,  beta",
  })
  void onlyHealthyEndpointsCount(HealthStatus health, String answer) {
    LocalityLbEndpoints first =
        locality("a", 0, 1).toBuilder()
            .addLbEndpoints(MeshResources.endpoint(alpha.port(), health))
            .build();
    serve(assignment("pay", first, locality("b", 1, 1, beta.port())));

    assertThat(twins.ask(GET)).isEqualTo(Answers.both(answer));
  }

  @Test
  void noEndpointAtAllIsUnavailable() {
    serve(assignment("pay"));

    assertThat(twins.ask(GET)).isEqualTo(Answers.both("UNAVAILABLE"));
  }

  @Test
  void noHealthyEndpointIsUnavailable() {
    LocalityLbEndpoints sick =
        locality("a", 0, 1).toBuilder()
            .addLbEndpoints(MeshResources.endpoint(alpha.port(), HealthStatus.UNHEALTHY))
            .build();
    serve(assignment("pay", sick));

    assertThat(twins.ask(GET)).isEqualTo(Answers.both("UNAVAILABLE"));
  }

  @Test
  void anEndpointThatRefusesIsUnavailable() {
    alpha.kill();
    serve(assignment("pay", locality("a", 0, 1, alpha.port())));

    assertThat(twins.ask(GET)).isEqualTo(Answers.both("UNAVAILABLE"));
  }

  @Conformance("A27-09")
  @Test
  void localitiesShareByWeight() {
    serve(assignment("pay", locality("a", 0, 1, alpha.port()), locality("b", 0, 3, beta.port())));
    awaitBothBackends();

    // 7.3 standard deviations each: one run in 10^12 fails
    assertThat(alphas(twins.outrigger(), 4000)).isBetween(800, 1200);
    assertThat(alphas(twins.grpcJava(), 1000)).isBetween(150, 350);
  }

  private static int alphas(Client client, int calls) {
    return Collections.frequency(client.askAll(Collections.nCopies(calls, GET)), "alpha");
  }

  /** Until each client has connections to both. */
  private void awaitBothBackends() {
    for (Client client : List.of(twins.outrigger(), twins.grpcJava())) {
      client.awaitAnswer(GET, "alpha");
      client.awaitAnswer(GET, "beta");
    }
  }

  @Conformance("A27-10")
  @Test
  void aFullDropLeavesNothing() {
    serve(dropping(100));

    assertThat(twins.ask(GET)).isEqualTo(Answers.both("UNAVAILABLE"));
  }

  @Conformance("A27-10")
  @Test
  void categoriesDropIndependently() {
    serve(dropping(50, 50));

    for (Client client : List.of(twins.outrigger(), twins.grpcJava())) {
      List<String> answers = client.askAll(Collections.nCopies(2000, GET));
      assertThat(answers).containsOnly("alpha", "UNAVAILABLE");
      // 7.2 standard deviations: one run in 10^12 fails
      assertThat(Collections.frequency(answers, "alpha")).isBetween(360, 640);
    }
  }

  private ClusterLoadAssignment dropping(int... percents) {
    var policy = Policy.newBuilder();
    for (int percent : percents) {
      policy.addDropOverloads(
          Policy.DropOverload.newBuilder()
              .setCategory("category-" + policy.getDropOverloadsCount())
              .setDropPercentage(FractionalPercent.newBuilder().setNumerator(percent)));
    }
    return assignment("pay", locality("a", 0, 1, alpha.port())).toBuilder()
        .setPolicy(policy)
        .build();
  }

  /** An accepted difference: gRPC's client counts calls only where load is reported. */
  @Conformance({"A32-01", "A32-02", "A32-03", "A32-04"})
  @Test
  void whatIsAboveTheLimitIsRejectedUntilACallEnds() {
    serve(limited(2), assignment("pay", locality("a", 0, 1, alpha.port())));
    // Connected before, since calls that wait for a connection may overtake each other.
    assertThat(twins.ask(GET)).isEqualTo(Answers.both("alpha"));

    List<Pending> ours = twoInFlight(twins.outrigger());
    twins.outrigger().awaitAnswer(GET, "UNAVAILABLE");
    List<Pending> theirs = twoInFlight(twins.grpcJava());

    assertThat(twins.ask(GET)).isEqualTo(new Answers("UNAVAILABLE", "alpha"));
    ours.forEach(Pending::cancel);
    theirs.forEach(Pending::cancel);
    twins.outrigger().awaitAnswer(GET, "alpha");
  }

  private static List<Pending> twoInFlight(Client client) {
    return List.of(client.start(WAIT, NO_DEADLINE), client.start(WAIT, NO_DEADLINE));
  }

  @Conformance("A32-07")
  @Test
  void aLimitOfZeroRejectsAll() {
    serve(limited(0), assignment("pay", locality("a", 0, 1, alpha.port())));

    assertThat(twins.ask(GET)).isEqualTo(Answers.both("UNAVAILABLE"));
  }

  private static Cluster.Builder limited(int requests) {
    return pay()
        .setCircuitBreakers(
            CircuitBreakers.newBuilder()
                .addThresholds(
                    CircuitBreakers.Thresholds.newBuilder()
                        .setMaxRequests(UInt32Value.of(requests))));
  }

  /** Whether a call without a deadline ends; the last row but one is an accepted difference. */
  @Conformance({"A31-15", "A31-16", "A31-17", "A31-18", "A31-19"})
  @ParameterizedTest(name = "{0}: {1}, {2}")
  @CsvSource({
    "max_stream_duration { max_stream_duration { nanos: 200000000 } }, DEADLINE_EXCEEDED,"
        + " DEADLINE_EXCEEDED",
    "max_stream_duration { grpc_timeout_header_max { nanos: 200000000 } }, DEADLINE_EXCEEDED,"
        + " DEADLINE_EXCEEDED",
    "max_stream_duration { grpc_timeout_header_max { nanos: 200000000 } max_stream_duration { } },"
        + " DEADLINE_EXCEEDED, DEADLINE_EXCEEDED",
    "max_stream_duration { grpc_timeout_header_max { } max_stream_duration { nanos: 200000000 } },"
        + " open, open",
    "max_stream_duration { max_stream_duration { } } timeout { nanos: 200000000 }, open, open",
    "timeout { nanos: 200000000 }, DEADLINE_EXCEEDED, open",
    "timeout { }, open, open",
  })
  void aRouteLimitsCalls(String action, String ours, String theirs) throws Exception {
    var limited = RouteAction.newBuilder();
    TextFormat.merge(action, limited);
    limited.setCluster("pay");
    twins.cluster(pay().build(), assignment("pay", locality("a", 0, 1, alpha.port())));
    twins.serveRoutes(List.of(route(prefix("/"), limited)));

    List<Pending> calls =
        List.of(
            twins.outrigger().start(WAIT, NO_DEADLINE), twins.grpcJava().start(WAIT, NO_DEADLINE));

    assertThat(new Answers(ended(calls.get(0), ours), ended(calls.get(1), theirs)))
        .isEqualTo(new Answers(ours, theirs));
    calls.forEach(Pending::cancel);
  }

  /** What ends is awaited with patience; what should not end gets three times the limit. */
  private static String ended(Pending call, String expected) {
    return call.await(expected.equals("open") ? 600 : 60_000);
  }
}
