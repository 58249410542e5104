package io.outrigger.oracle;

import static io.outrigger.program.testing.mesh.MeshResources.assignment;
import static io.outrigger.program.testing.mesh.MeshResources.locality;
import static io.outrigger.program.testing.mesh.MeshResources.prefix;
import static io.outrigger.program.testing.mesh.MeshResources.route;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.BoolValue;
import com.google.protobuf.Message;
import com.google.protobuf.UInt32Value;
import com.google.protobuf.UInt64Value;
import com.google.protobuf.util.Durations;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.LoadBalancingPolicy;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.extensions.load_balancing_policies.client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin;
import io.envoyproxy.envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality;
import io.grpc.services.CallMetricRecorder;
import io.grpc.services.MetricRecorder;
import io.grpc.xds.orca.OrcaMetricReportingServerInterceptor;
import io.grpc.xds.orca.OrcaServiceImpl;
import io.outrigger.program.testing.mesh.MeshResources;
import io.outrigger.testing.Conformance;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The policies that choose endpoints, over sockets, next to gRPC's own client. */
class PolicyOracleIT {
  private static final Request GET = Request.of("/pkg.Svc/Get");

  /**
   * How many of 1000 users are a quarter. The ports, new in each run, place both endpoints on the
   * ring: a deviation of 10 for the share of 4096 places, and of 14 for the users on it. The bounds
   * are 7 deviations of both away: one run in 10^12 fails.
   */
  private static final int A_QUARTER_LEAST = 130;

  private static final int A_QUARTER_MOST = 370;

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

  private static List<Request> users(int count) {
    return IntStream.range(0, count).mapToObj(i -> GET.with("user", "u" + i)).toList();
  }

  private void serve(
      Cluster.LbPolicy policy, RouteAction.Builder action, LocalityLbEndpoints... localities) {
    var cluster = MeshResources.cluster("pay").toBuilder().setLbPolicy(policy);
    if (policy == Cluster.LbPolicy.RING_HASH) {
      cluster.getRingHashLbConfigBuilder().setMinimumRingSize(UInt64Value.of(4096));
    }
    twins.cluster(cluster.build(), assignment("pay", localities));
    twins.serveRoutes(List.of(route(prefix("/"), action.setCluster("pay"))));
  }

  @Conformance({"A48-01", "A52-04"})
  @Test
  void leastRequestWeighsLocalities() {
    serve(
        Cluster.LbPolicy.LEAST_REQUEST,
        RouteAction.newBuilder(),
        locality("a", 0, 1, alpha.port()),
        locality("b", 0, 3, beta.port()));

    for (Client client : List.of(twins.outrigger(), twins.grpcJava())) {
      client.awaitAnswer(GET, "alpha");
      client.awaitAnswer(GET, "beta");
      assertThat(alphas(client.askAll(Collections.nCopies(1000, GET))))
          .isBetween(150, 350); // 7.3 deviations
    }
  }

  @Conformance({"A42-01", "A42-07", "A52-04"})
  @Test
  void equalHeadersMeetEqualEndpointsOnOneRingOfAllLocalities() {
    LocalityLbEndpoints one = locality("a", 0, 1, alpha.port());
    LocalityLbEndpoints three = locality("b", 0, 3, beta.port());
    serve(Cluster.LbPolicy.RING_HASH, hashing("user"), one, three);
    List<Request> users = users(1000);

    for (Client client : List.of(twins.outrigger(), twins.grpcJava())) {
      List<String> answers = client.askAll(users);
      assertThat(client.askAll(users)).isEqualTo(answers);
      assertThat(alphas(answers)).isBetween(A_QUARTER_LEAST, A_QUARTER_MOST);
    }
  }

  @Conformance("A42-05")
  @Test
  void weightsOfEndpointsCountWithinTheirLocality() {
    var both = locality("a", 0, 1, alpha.port(), beta.port()).toBuilder();
    both.getLbEndpointsBuilder(1).setLoadBalancingWeight(UInt32Value.of(3));
    serve(Cluster.LbPolicy.RING_HASH, hashing("user"), both.build());
    List<Request> users = users(1000);

    assertThat(alphas(twins.outrigger().askAll(users))).isBetween(A_QUARTER_LEAST, A_QUARTER_MOST);
  }

  @Conformance({"A42-07", "SC-46"})
  @Test
  void theChannelMeetsOneEndpoint() {
    var action = RouteAction.newBuilder();
    action.addHashPolicyBuilder().getFilterStateBuilder().setKey("io.grpc.channel_id");
    serve(Cluster.LbPolicy.RING_HASH, action, locality("a", 0, 1, alpha.port(), beta.port()));

    for (Client client : List.of(twins.outrigger(), twins.grpcJava())) {
      List<String> answers = client.askAll(Collections.nCopies(50, GET));
      assertThat(answers).containsOnly(answers.get(0));
    }
  }

  @Conformance("A42-07")
  @Test
  void withoutAHashEachRequestGoesAnywhere() {
    serve(
        Cluster.LbPolicy.RING_HASH,
        hashing("user"),
        locality("a", 0, 1, alpha.port(), beta.port()));

    for (Client client : List.of(twins.outrigger(), twins.grpcJava())) {
      assertThat(alphas(client.askAll(Collections.nCopies(400, GET))))
          .isBetween(100, 300); // 9 deviations
    }
  }

  @Conformance("A42-10")
  @Test
  void aDeadEndpointsRequestsGoToTheNextAndComeBack() {
    serve(
        Cluster.LbPolicy.RING_HASH,
        hashing("user"),
        locality("a", 0, 1, alpha.port(), beta.port()));
    List<Request> users = users(50);
    for (Client client : List.of(twins.outrigger(), twins.grpcJava())) {
      List<String> before = client.askAll(users);
      Request ofAlpha = users.get(before.indexOf("alpha"));

      alpha.kill();
      client.awaitAnswer(ofAlpha, "beta");
      assertThat(client.askAll(users)).containsOnly("beta");

      alpha.revive();
      client.awaitAnswer(ofAlpha, "alpha");
      assertThat(client.askAll(users)).isEqualTo(before);
    }
  }

  @Conformance({"A58-02", "A58-05"})
  @Test
  void turnsFollowTheReportsInTrailersWhichTheAppGetsAsWell() {
    try (var light = reporting("light", 300);
        var heavy = reporting("heavy", 100)) {
      serveWeighted(weightedRoundRobin(), light, heavy);

      checkHeavyHasAQuarter();
      assertThat(twins.outrigger().trailersOf(GET).keys()).contains("endpoint-load-metrics-bin");
    }
  }

  @Conformance("A58-02")
  @Test
  void turnsFollowTheReportsThatComeOutOfBand() {
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try (var light = streaming("light", 300, timer);
        var heavy = streaming("heavy", 100, timer)) {
      serveWeighted(
          weightedRoundRobin()
              .setEnableOobLoadReport(BoolValue.of(true))
              .setOobReportingPeriod(Durations.fromMillis(50)),
          light,
          heavy);

      checkHeavyHasAQuarter();
    } finally {
      timer.shutdownNow();
    }
  }

  private void serveWeighted(
      ClientSideWeightedRoundRobin.Builder settings, NamedBackend light, NamedBackend heavy) {
    twins.cluster(
        MeshResources.cluster("pay").toBuilder()
            .setLoadBalancingPolicy(withinLocalities(settings))
            .build(),
        assignment("pay", locality("a", 0, 1, light.port(), heavy.port())));
    twins.serveRoutes(List.of(route(prefix("/"), "pay")));
  }

  private void checkHeavyHasAQuarter() {
    for (Client client : List.of(twins.outrigger(), twins.grpcJava())) {
      client.awaitAnswer(GET, "light");
      client.awaitAnswer(GET, "heavy");
      awaitHeavyShareBelow(client, 35);
      List<String> answers = client.askAll(Collections.nCopies(1000, GET));
      assertThat(Collections.frequency(answers, "heavy")).isBetween(200, 300);
    }
  }

  /** Until the weights are in force, which takes a period of 100 ms after the first reports. */
  private static void awaitHeavyShareBelow(Client client, int percent) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    int heavy = 100;
    while (heavy >= percent && System.nanoTime() < end) {
      heavy = Collections.frequency(client.askAll(Collections.nCopies(100, GET)), "heavy");
    }
    assertThat(heavy).isLessThan(percent);
  }

  /** A backend that says with each call that it does {@code qps} at full utilization. */
  private static NamedBackend reporting(String name, double qps) {
    return new NamedBackend(
        name,
        builder -> builder.intercept(OrcaMetricReportingServerInterceptor.getInstance()),
        () -> {
          CallMetricRecorder.getCurrent().recordQpsMetric(qps);
          CallMetricRecorder.getCurrent().recordApplicationUtilizationMetric(1.0);
        });
  }

  /** A backend that says on a stream that it does {@code qps} at full utilization. */
  private static NamedBackend streaming(String name, double qps, ScheduledExecutorService timer) {
    MetricRecorder recorder = MetricRecorder.newInstance();
    recorder.setQpsMetric(qps);
    recorder.setApplicationUtilizationMetric(1.0);
    return new NamedBackend(
        name,
        builder ->
            builder.addService(
                OrcaServiceImpl.createService(timer, recorder, 50, TimeUnit.MILLISECONDS)),
        () -> {});
  }

  private static ClientSideWeightedRoundRobin.Builder weightedRoundRobin() {
    return ClientSideWeightedRoundRobin.newBuilder()
        .setBlackoutPeriod(Durations.ZERO)
        .setWeightUpdatePeriod(Durations.fromMillis(100));
  }

  private static LoadBalancingPolicy withinLocalities(
      ClientSideWeightedRoundRobin.Builder settings) {
    var locality = WrrLocality.newBuilder();
    add(locality.getEndpointPickingPolicyBuilder(), settings.build());
    var policy = LoadBalancingPolicy.newBuilder();
    add(policy, locality.build());
    return policy.build();
  }

  private static void add(LoadBalancingPolicy.Builder list, Message config) {
    list.addPoliciesBuilder()
        .getTypedExtensionConfigBuilder()
        .setName("policy")
        .setTypedConfig(Any.pack(config));
  }

  private static RouteAction.Builder hashing(String header) {
    var action = RouteAction.newBuilder();
    action.addHashPolicyBuilder().getHeaderBuilder().setHeaderName(header);
    return action;
  }

  private static int alphas(List<String> answers) {
    return Collections.frequency(answers, "alpha");
  }
}
