package io.outrigger.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.outrigger.oracle.Twins.Answers;
import io.outrigger.program.testing.mesh.MeshResources;
import io.outrigger.testing.Conformance;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/** Retries by the policy of a route: the sidecar and gRPC's own client must agree. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RetryOracleIT {
  private static final String QUICK = " retry_back_off { base_interval { nanos: 1000000 } }";

  /** A policy in text form, a service of {@link FlakyBackend}, and the answers. */
  private record Case(String policy, String service, Answers answers) {
    Case(String policy, String service, String answer) {
      this(policy, service, Answers.both(answer));
    }
  }

  private static final List<Case> CASES =
      List.of(
          new Case("", "UNAVAILABLE.0.plain", "after-0"),
          new Case("", "UNAVAILABLE.1.plain", "UNAVAILABLE"),
          retry("unavailable", 1, "UNAVAILABLE.1.plain", "after-1"),
          retry("unavailable", 1, "UNAVAILABLE.2.plain", "UNAVAILABLE"),
          retry("unavailable", 2, "UNAVAILABLE.2.plain", "after-2"),
          retry("unavailable", 4, "UNAVAILABLE.4.plain", "after-4"),
          retry("unavailable", 9, "UNAVAILABLE.4.plain", "after-4"),
          retry("unavailable", 9, "UNAVAILABLE.5.plain", "UNAVAILABLE"),
          retry("Unavailable", 1, "UNAVAILABLE.1.plain", "after-1"),
          retry("cancelled", 1, "CANCELLED.1.plain", "after-1"),
          retry("deadline-exceeded", 1, "DEADLINE_EXCEEDED.1.plain", "after-1"),
          retry("internal", 1, "INTERNAL.1.plain", "after-1"),
          retry("resource-exhausted", 1, "RESOURCE_EXHAUSTED.1.plain", "after-1"),
          retry("5xx,internal,reset", 1, "INTERNAL.1.plain", "after-1"),
          retry("unavailable", 1, "INTERNAL.1.plain", "INTERNAL"),
          retry("unavailable", 1, "NOT_FOUND.1.plain", "NOT_FOUND"),
          retry("5xx", 1, "UNAVAILABLE.1.plain", "UNAVAILABLE"),
          retry("unavailable", 1, "UNAVAILABLE.1.begun", "UNAVAILABLE"),
          retry("unavailable", 3, "UNAVAILABLE.3.push0", "after-3"),
          retry("unavailable", 3, "UNAVAILABLE.1.push5", "after-1"),
          retry("unavailable", 3, "UNAVAILABLE.1.push-1", "UNAVAILABLE"),
          retry("unavailable", 3, "UNAVAILABLE.1.pushsoon", "UNAVAILABLE"),
          // An accepted difference: A6 retries "when it is appropriate", which gRPC's other clients
          // and this proxy take to mean a code of the policy; grpc-java goes by the pushback alone.
          new Case(
              policy("unavailable", 3), "INTERNAL.1.push5", new Answers("INTERNAL", "after-1")));

  private final FlakyBackend backend = new FlakyBackend();
  private final Twins twins = new Twins("orders");

  private static Case retry(String on, int retries, String service, String answer) {
    return new Case(policy(on, retries), service, answer);
  }

  private static String policy(String on, int retries) {
    return "retry_policy { retry_on: '%s' num_retries { value: %d } %s }"
        .formatted(on, retries, QUICK);
  }

  private static String prefixOf(int number) {
    return "/" + CASES.get(number).service() + "/No" + number;
  }

  @BeforeAll
  void serve() throws Exception {
    twins.cluster(
        MeshResources.cluster("flaky"),
        MeshResources.assignment("flaky", MeshResources.locality("a", 0, 1, backend.port())));
    List<Route> routes = new ArrayList<>();
    for (int i = 0; i < CASES.size(); i++) {
      var action = RouteAction.newBuilder();
      TextFormat.merge(CASES.get(i).policy(), action);
      routes.add(MeshResources.route(MeshResources.path(prefixOf(i)), action.setCluster("flaky")));
    }
    twins.serveRoutes(routes);
  }

  @AfterAll
  void stop() {
    twins.close();
    backend.close();
  }

  @Conformance({
    "A44-01", "A44-02", "A44-05", "A44-06", "A44-09", "A44-10", "A44-11",
  })
  @TestFactory
  List<DynamicTest> bothAnswerAlike() {
    List<DynamicTest> tests = new ArrayList<>();
    for (int i = 0; i < CASES.size(); i++) {
      Case expected = CASES.get(i);
      var request = Request.of(prefixOf(i));
      tests.add(
          DynamicTest.dynamicTest(
              expected.service() + " " + expected.policy(),
              () -> assertThat(twins.ask(request)).isEqualTo(expected.answers())));
    }
    return tests;
  }
}
