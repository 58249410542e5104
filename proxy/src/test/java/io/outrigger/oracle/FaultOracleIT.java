package io.outrigger.oracle;

import static io.outrigger.program.testing.mesh.MeshResources.path;
import static io.outrigger.program.testing.mesh.MeshResources.route;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.WeightedCluster;
import io.envoyproxy.envoy.extensions.filters.http.fault.v3.HTTPFault;
import io.outrigger.oracle.Twins.Answers;
import io.outrigger.program.testing.mesh.MeshResources;
import io.outrigger.testing.Conformance;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/** Injected faults: the sidecar and gRPC's own client must agree where no chance is involved. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FaultOracleIT {
  private static final String ALL = "percentage { numerator: 100 }";
  private static final String HEADER_ABORT = "abort { header_abort { } " + ALL + " }";
  private static final String ABORT = "x-envoy-fault-abort-request";
  private static final String GRPC_ABORT = "x-envoy-fault-abort-grpc-request";
  private static final String ABORT_SHARE = "x-envoy-fault-abort-request-percentage";
  private static final String DELAY = "x-envoy-fault-delay-request";
  private static final String DELAY_SHARE = "x-envoy-fault-delay-request-percentage";

  /** A fault in text form, the headers of a request, and what both clients answer to it. */
  private record Case(String fault, List<String> headers, Answers answers) {}

  private final List<Case> cases = new ArrayList<>();
  private final NamedBackend alpha = new NamedBackend("alpha");
  private final Twins twins = new Twins("orders");

  private void expect(String answer, String fault, String... headers) {
    cases.add(new Case(fault, List.of(headers), Answers.both(answer)));
  }

  /** An accepted difference. */
  private void differ(String ours, String theirs, String fault, String... headers) {
    cases.add(new Case(fault, List.of(headers), new Answers(ours, theirs)));
  }

  @BeforeAll
  void serve() throws Exception {
    expect("alpha", "");
    expect("NOT_FOUND", "abort { grpc_status: 5 " + ALL + " }");
    expect("INVALID_ARGUMENT", "abort { grpc_status: 3 " + ALL + " }");
    expect("UNKNOWN", "abort { http_status: 200 " + ALL + " }");
    expect("INTERNAL", "abort { http_status: 400 " + ALL + " }");
    expect("UNAUTHENTICATED", "abort { http_status: 401 " + ALL + " }");
    expect("PERMISSION_DENIED", "abort { http_status: 403 " + ALL + " }");
    expect("UNIMPLEMENTED", "abort { http_status: 404 " + ALL + " }");
    expect("UNAVAILABLE", "abort { http_status: 503 " + ALL + " }");
    expect("UNKNOWN", "abort { http_status: 500 " + ALL + " }");
    expect("alpha", "abort { grpc_status: 5 percentage { } }");
    expect("alpha", "abort { grpc_status: 5 }");
    expect("NOT_FOUND", "abort { grpc_status: 5 percentage { numerator: 4000000 } }");
    expect(
        "NOT_FOUND",
        "abort { grpc_status: 5 percentage { numerator: 10000 denominator: TEN_THOUSAND } }");
    expect("alpha", "abort { grpc_status: 5 " + ALL + " } max_active_faults { }");
    expect("NOT_FOUND", "abort { grpc_status: 5 " + ALL + " } max_active_faults { value: 9 }");
    expect(
        "NOT_FOUND",
        "delay { fixed_delay { nanos: 1000000 } "
            + ALL
            + " } abort { grpc_status: 5 "
            + ALL
            + " }");
    expect("alpha", "delay { fixed_delay { nanos: 1000000 } " + ALL + " }");
    expect("NOT_FOUND", "upstream_cluster: 'other' abort { grpc_status: 5 " + ALL + " }");

    expect("alpha", HEADER_ABORT);
    expect("RESOURCE_EXHAUSTED", HEADER_ABORT, GRPC_ABORT, "8");
    expect("UNAVAILABLE", HEADER_ABORT, ABORT, "429");
    expect("UNIMPLEMENTED", HEADER_ABORT, ABORT, "404", GRPC_ABORT, "8");
    expect("UNIMPLEMENTED", HEADER_ABORT, GRPC_ABORT, "8", ABORT, "404");
    expect("alpha", HEADER_ABORT, GRPC_ABORT, "8", ABORT_SHARE, "0");
    expect("RESOURCE_EXHAUSTED", HEADER_ABORT, GRPC_ABORT, "8", ABORT_SHARE, "100");
    expect("RESOURCE_EXHAUSTED", HEADER_ABORT, GRPC_ABORT, "8", ABORT_SHARE, "200");
    expect("alpha", HEADER_ABORT, GRPC_ABORT, "none");
    expect("RESOURCE_EXHAUSTED", HEADER_ABORT, GRPC_ABORT, "5", GRPC_ABORT, "8");
    expect("alpha", "abort { header_abort { } }", GRPC_ABORT, "8", ABORT_SHARE, "100");
    expect("NOT_FOUND", "abort { grpc_status: 5 " + ALL + " }", GRPC_ABORT, "8", ABORT_SHARE, "0");
    expect("alpha", "delay { header_delay { } " + ALL + " }", DELAY, "1");
    expect("alpha", "delay { header_delay { } " + ALL + " }", DELAY, "60000", DELAY_SHARE, "0");
    expect("alpha", "delay { header_delay { } " + ALL + " }", DELAY, "a minute");

    // A33: an invalid header is ignored; gRPC's client then leaves the whole fault out.
    differ("RESOURCE_EXHAUSTED", "alpha", HEADER_ABORT, GRPC_ABORT, "8", ABORT_SHARE, "most");
    differ("RESOURCE_EXHAUSTED", "alpha", HEADER_ABORT, GRPC_ABORT, "8", ABORT, "none");
    differ("alpha", "UNKNOWN", HEADER_ABORT, GRPC_ABORT, "17");
    differ("alpha", "UNKNOWN", HEADER_ABORT, ABORT, "99999");

    twins.cluster(alpha);
    List<Route> routes = new ArrayList<>();
    for (int i = 0; i < cases.size(); i++) {
      routes.add(faulty(pathOf(i), cases.get(i).fault()));
    }
    routes.add(faulty("/fault/Third", "abort { grpc_status: 5 percentage { numerator: 30 } }"));
    routes.add(faulty("/fault/Slow", "delay { fixed_delay { nanos: 300000000 } " + ALL + " }"));
    routes.add(weighted());
    twins.serveRoutes(routes);
  }

  @AfterAll
  void stop() {
    twins.close();
    alpha.close();
  }

  private static String pathOf(int number) {
    return "/fault.Case/No" + number;
  }

  private static Route faulty(String path, String fault) throws TextFormat.ParseException {
    return route(path(path), "alpha").toBuilder()
        .putTypedPerFilterConfig(MeshResources.FAULT, override(fault))
        .build();
  }

  private static Any override(String fault) throws TextFormat.ParseException {
    var proto = HTTPFault.newBuilder();
    TextFormat.merge(fault, proto);
    Message message = proto.build();
    return Any.pack(message);
  }

  /** The cluster that is always drawn is free of the route's fault. */
  private static Route weighted() throws TextFormat.ParseException {
    var clusters =
        WeightedCluster.newBuilder()
            .addClusters(
                WeightedCluster.ClusterWeight.newBuilder()
                    .setName("alpha")
                    .setWeight(com.google.protobuf.UInt32Value.of(1))
                    .putTypedPerFilterConfig(MeshResources.FAULT, override("")));
    return route(path("/fault/Weighted"), RouteAction.newBuilder().setWeightedClusters(clusters))
        .toBuilder()
        .putTypedPerFilterConfig(
            MeshResources.FAULT, override("abort { grpc_status: 5 " + ALL + " }"))
        .build();
  }

  @Conformance({"A33-01", "A33-03", "A33-04", "A33-05", "A33-06", "A33-08"})
  @TestFactory
  List<DynamicTest> bothAnswerAlike() {
    List<DynamicTest> tests = new ArrayList<>();
    for (int i = 0; i < cases.size(); i++) {
      Case expected = cases.get(i);
      var request = new Request(pathOf(i), expected.headers());
      tests.add(
          DynamicTest.dynamicTest(
              expected.fault() + " " + expected.headers(),
              () -> assertThat(twins.ask(request)).isEqualTo(expected.answers())));
    }
    return tests;
  }

  @Conformance("A33-07")
  @Test
  void theClustersOverrideIsTakenInPlaceOfTheRoutes() {
    assertThat(twins.ask(Request.of("/fault/Weighted"))).isEqualTo(Answers.both("alpha"));
  }

  @Conformance("A33-04")
  @Test
  void aShareIsKept() {
    for (Client client : List.of(twins.outrigger(), twins.grpcJava())) {
      List<String> answers = client.askAll(Collections.nCopies(1000, Request.of("/fault/Third")));

      assertThat(answers).containsOnly("alpha", "NOT_FOUND");
      // 7.6 standard deviations: one run in 10^13 fails
      assertThat(Collections.frequency(answers, "NOT_FOUND")).isBetween(190, 410);
    }
  }

  @Conformance("A33-02")
  @Test
  void aFixedDelayIsKept() {
    for (Client client : List.of(twins.outrigger(), twins.grpcJava())) {
      long start = System.nanoTime();

      assertThat(client.ask(Request.of("/fault/Slow"))).isEqualTo("alpha");

      assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(300_000_000L);
    }
  }
}
