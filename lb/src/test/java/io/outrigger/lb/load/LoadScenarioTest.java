package io.outrigger.lb.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.BalancingPolicy.WeightedRoundRobin;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.cluster.LoadReporting;
import io.outrigger.config.cluster.PropagatedMetrics;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.config.load.ClusterLoad;
import io.outrigger.config.load.LocalityLoad;
import io.outrigger.config.load.MetricTotal;
import io.outrigger.config.route.Fraction;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.lb.BackendMetrics;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is counted for load reports, under whole trees. */
class LoadScenarioTest {
  private static final String E1 = "10.0.0.1:80";
  private static final String E2 = "10.0.0.2:80";
  private static final XdsServer ONE = server("one");
  private static final XdsServer TWO = server("two");

  private final LbScript script = new LbScript();

  @Conformance({"A27-12", "A64-02"})
  @Test
  void countsAreOfALocalityAndSinceTheLastReport() {
    serve(cluster(ONE, Samples.zone("a", E1), Samples.zone("b", E2)));
    script.ready(E1, E2);

    script.traffic("pay", 100, E2::equals);

    ClusterLoad first = only(take(ONE));
    LocalityLoad a = locality(first, "a");
    LocalityLoad b = locality(first, "b");
    assertThat(a.issued() + b.issued()).isEqualTo(100);
    assertThat(a).isEqualTo(load("a", a.issued(), a.issued(), 0, 0));
    assertThat(b).isEqualTo(load("b", b.issued(), 0, b.issued(), 0));
    assertThat(first.cluster()).isEqualTo("pay");
    assertThat(first.edsServiceName()).isEqualTo("pay-eds");

    script.traffic("pay", 7, address -> false);

    ClusterLoad second = only(take(ONE));
    assertThat(second.localities().stream().mapToLong(LocalityLoad::succeeded).sum()).isEqualTo(7);
    assertThat(second.localities().stream().mapToLong(LocalityLoad::failed).sum()).isZero();
  }

  @Conformance("A64-02")
  @Test
  void whatIsInProgressIsToldAsItStands() {
    serve(cluster(ONE, Samples.zone("a", E1)));
    script.ready(E1);
    Subchannel first = script.start("pay");
    Subchannel second = script.start("pay");
    script.start("pay");

    assertThat(only(take(ONE)).localities()).containsExactly(load("a", 3, 0, 0, 3));
    assertThat(only(take(ONE)).localities()).containsExactly(load("a", 0, 0, 0, 3));

    first.callEnded(TestCall.CALL, CallOutcome.SUCCESS);
    second.callEnded(TestCall.CALL, CallOutcome.FAILURE);
    assertThat(only(take(ONE)).localities()).containsExactly(load("a", 0, 1, 1, 1));
    assertThat(only(take(ONE)).localities()).containsExactly(load("a", 0, 0, 0, 1));
  }

  @Conformance("A64-03")
  @Test
  void aLocalityWithoutActivityIsLeftOut() {
    serve(cluster(ONE, Samples.zone("a", E1)));
    script.ready(E1);

    assertThat(only(take(ONE)).localities()).isEmpty();
    script.picked("pay");
    assertThat(only(take(ONE)).localities()).hasSize(1);
    assertThat(only(take(ONE)).localities()).isEmpty();
  }

  @Conformance("A64-02")
  @Test
  void aCallThatIsNeverSentIsNotIssuedInTheEnd() {
    serve(cluster(ONE, Samples.zone("a", E1)));
    script.ready(E1);
    Subchannel waiting = script.start("pay");
    Subchannel other = script.start("pay");
    assertThat(only(take(ONE)).localities()).containsExactly(load("a", 2, 0, 0, 2));

    waiting.callEnded(TestCall.CALL, CallOutcome.NOT_SENT);
    assertThat(only(take(ONE)).localities()).containsExactly(load("a", 0, 0, 0, 1));
    other.callEnded(TestCall.CALL, CallOutcome.SUCCESS);

    script.traffic("pay", 3, address -> false);
    assertThat(only(take(ONE)).localities()).containsExactly(load("a", 2, 4, 0, 0));
  }

  @Conformance({"A27-10", "A27-12", "A32-08", "A64-02"})
  @Test
  void dropsAreToldByCategoryAndRefusalsWithoutOne() {
    serve(dropping("throttle", "lb"));
    script.ready(E1);
    script.random().next(Purpose.DROP, 0);
    script.failure("pay");
    script.random().next(Purpose.DROP, 99, 0);
    script.failure("pay");
    script.random().next(Purpose.DROP, 99, 0);
    script.failure("pay");
    for (int i = 0; i < 2; i++) {
      script.random().next(Purpose.DROP, 99, 99);
      script.start("pay");
    }
    script.random().next(Purpose.DROP, 99, 99);
    script.failure("pay");

    ClusterLoad load = only(take(ONE));

    assertThat(load.drops()).containsOnly(Map.entry("throttle", 1L), Map.entry("lb", 2L));
    assertThat(load.refusals()).isEqualTo(1);
    assertThat(load.dropped()).isEqualTo(4);
    assertThat(only(take(ONE)).dropped()).isZero();
  }

  @Conformance("A64-02")
  @Test
  void aCategoryThatIsTakenBackIsReportedOnceMore() {
    serve(dropping("throttle"));
    script.ready(E1);
    script.random().next(Purpose.DROP, 0);
    script.failure("pay");

    serve(dropping("lb"));

    assertThat(only(take(ONE)).drops()).containsOnly(Map.entry("throttle", 1L));
    assertThat(only(take(ONE)).drops()).isEmpty();
  }

  @Conformance("A64-02")
  @Test
  void anEndpointThatMovesIsCountedWhereItStood() {
    serve(cluster(ONE, Samples.zone("a", E1)));
    script.ready(E1);
    script.traffic("pay", 3, address -> false);
    Subchannel inProgress = script.start("pay");

    serve(cluster(ONE, Samples.zone("b", E1)));
    script.traffic("pay", 2, address -> false);

    assertThat(script.connector().count(E1)).isEqualTo(1);
    ClusterLoad load = only(take(ONE));
    assertThat(load.localities())
        .containsExactlyInAnyOrder(load("a", 4, 3, 0, 0), load("b", 2, 2, 0, 1));
    inProgress.callEnded(TestCall.CALL, CallOutcome.SUCCESS);
    assertThat(only(take(ONE)).localities()).containsExactly(load("b", 0, 1, 0, 0));
  }

  @Conformance("A64-02")
  @Test
  void callsOfARemovedEndpointAreCountedToTheirEnd() {
    serve(cluster(ONE, Samples.zone("a", E1)));
    script.ready(E1);
    Subchannel inProgress = script.start("pay");

    serve(cluster(ONE, Samples.zone("b", E2)));
    script.ready(E2);
    script.advance(Duration.ofHours(1)); // whatever keeps the old endpoint lets go of it

    assertThat(only(take(ONE)).localities()).containsExactly(load("a", 1, 0, 0, 1));
    inProgress.callEnded(TestCall.CALL, CallOutcome.FAILURE);
    assertThat(only(take(ONE)).localities()).containsExactly(load("a", 0, 0, 1, 0));
    assertThat(only(take(ONE)).localities()).isEmpty();
  }

  static List<BalancingPolicy> policies() {
    return List.of(
        new BalancingPolicy.PickFirst(false),
        new BalancingPolicy.RoundRobin(),
        new BalancingPolicy.LeastRequest(2),
        new BalancingPolicy.RingHash(1, 4096, ""),
        new WeightedRoundRobin(
            false,
            WeightedRoundRobin.DEFAULT_OOB_PERIOD,
            WeightedRoundRobin.DEFAULT_BLACKOUT,
            WeightedRoundRobin.DEFAULT_EXPIRATION,
            WeightedRoundRobin.DEFAULT_UPDATE_PERIOD,
            WeightedRoundRobin.DEFAULT_ERROR_PENALTY,
            List.of()));
  }

  @Conformance({"A27-12", "A64-02"})
  @ParameterizedTest
  @MethodSource("policies")
  void callsAndMetricsAreCountedWhateverBalances(BalancingPolicy policy) {
    var wanted = PropagatedMetrics.of(List.of("named_metrics.queue"));
    serve(
        Samples.leaf(
            Samples.reported(
                Samples.cluster("pay", new ClusterSource.Eds("pay-eds"), policy, 100),
                new LoadReporting(ONE, wanted)),
            Samples.priorities(Samples.zone("a", E1))));
    script.pick("pay"); // which some policies connect for
    script.ready(E1);

    report(Map.of("queue", 7.0));
    script.start("pay");

    assertThat(only(take(ONE)).localities())
        .containsExactly(
            new LocalityLoad(
                Samples.locality("a"),
                2,
                1,
                0,
                1,
                Map.of("named_metrics.queue", new MetricTotal(1, 7))));
  }

  @Test
  void severalTargetsAreCountedTogether() {
    var other = new LbScript(script.loop(), new CircuitBreakers(), script.loads());
    serve(cluster(ONE, Samples.zone("a", E1)));
    other.apply(Samples.config(Set.of("pay"), cluster(ONE, Samples.zone("a", E1))));
    script.ready(E1);
    other.ready(E1);

    script.traffic("pay", 2, address -> false);
    other.traffic("pay", 3, address -> true);

    assertThat(only(take(ONE)).localities()).containsExactly(load("a", 5, 2, 3, 0));
  }

  @Conformance({"A71-09", "A64-02"})
  @Test
  void theServerThatSentTheClusterIsTold() {
    serve(cluster(ONE, Samples.zone("a", E1)));
    script.ready(E1);
    script.traffic("pay", 2, address -> false);

    serve(cluster(TWO, Samples.zone("a", E1)));
    script.traffic("pay", 3, address -> false);

    assertThat(script.connector().count()).isEqualTo(1);
    assertThat(servers()).containsExactlyInAnyOrder(ONE, TWO);
    assertThat(only(take(ONE)).localities()).containsExactly(load("a", 2, 2, 0, 0));
    assertThat(only(take(TWO)).localities()).containsExactly(load("a", 3, 3, 0, 0));
    assertThat(servers()).containsExactly(TWO);
  }

  @Conformance("A27-12")
  @Test
  void anotherServiceNameIsReportedFromThenOn() {
    serve(cluster(ONE, Samples.zone("a", E1)));
    script.ready(E1);
    script.traffic("pay", 2, address -> false);

    ClusterConfig.Leaf before = cluster(ONE, Samples.zone("a", E1));
    serve(
        Samples.leaf(
            Samples.reported(
                Samples.cluster("pay", new ClusterSource.Eds("renamed")),
                before.cluster().loadReporting().orElseThrow()),
            Samples.priorities(Samples.zone("a", E1))));
    script.traffic("pay", 3, address -> false);

    assertThat(take(ONE))
        .extracting(ClusterLoad::edsServiceName, ClusterLoad::localities)
        .containsExactly(
            tuple("pay-eds", List.of(load("a", 2, 2, 0, 0))),
            tuple("renamed", List.of(load("a", 3, 3, 0, 0))));
  }

  @Test
  void whatWasCountedBeforeAnybodyAskedIsNotTold() {
    serve(cluster(Optional.empty(), PropagatedMetrics.NONE, Samples.zone("a", E1)));
    script.ready(E1);
    script.traffic("pay", 5, address -> false);
    assertThat(servers()).isEmpty();

    serve(cluster(ONE, Samples.zone("a", E1)));
    script.traffic("pay", 2, address -> false);

    assertThat(only(take(ONE)).localities()).containsExactly(load("a", 2, 2, 0, 0));
  }

  @Conformance("A64-02")
  @Test
  void theLastCountsOfAClusterWaitUntilTheyAreTaken() {
    serve(cluster(ONE, Samples.zone("a", E1)));
    script.ready(E1);
    script.traffic("pay", 4, address -> false);

    script.apply(Samples.config(Set.of()));
    assertThat(servers()).containsExactly(ONE);

    assertThat(only(take(ONE)).localities()).containsExactly(load("a", 4, 4, 0, 0));
    assertThat(servers()).isEmpty();
    assertThat(take(ONE)).isEmpty();
  }

  @Test
  void aClusterThatNobodyAsksForIsForgottenAfterItsLastCall() {
    serve(cluster(ONE, Samples.zone("a", E1)));
    script.ready(E1);
    Subchannel inProgress = script.start("pay");
    script.apply(Samples.config(Set.of()));
    assertThat(take(ONE, "other")).isEmpty();
    assertThat(servers()).containsExactly(ONE);

    inProgress.callEnded(TestCall.CALL, CallOutcome.SUCCESS);

    assertThat(take(ONE, "other")).isEmpty();
    assertThat(servers()).isEmpty();
  }

  @Conformance("A64-02")
  @Test
  void aClusterThatIsNotAskedForKeepsItsCounts() {
    serve(cluster(ONE, Samples.zone("a", E1)));
    script.ready(E1);
    script.traffic("pay", 4, address -> false);
    script.advance(Duration.ofSeconds(3));

    assertThat(take(ONE, "other")).isEmpty();
    script.advance(Duration.ofSeconds(4));

    ClusterLoad load = only(take(ONE, "pay", "other"));
    assertThat(load.localities()).containsExactly(load("a", 4, 4, 0, 0));
    assertThat(load.interval()).isEqualTo(Duration.ofSeconds(7));
    assertThat(only(take(ONE)).interval()).isZero();
  }

  @Conformance("A75-22")
  @Test
  void aLeafOfAnAggregateIsReportedByItself() {
    ClusterConfig.Leaf leaf = cluster(ONE, Samples.zone("a", E1));
    script.apply(Samples.config(Set.of("all"), Samples.aggregate("all", "pay"), leaf));
    script.ready(E1);

    script.traffic("all", 2, address -> false);

    ClusterLoad load = only(take(ONE));
    assertThat(load.cluster()).isEqualTo("pay");
    assertThat(load.localities()).containsExactly(load("a", 2, 2, 0, 0));
  }

  @Conformance({"A64-01", "A64-02"})
  @Test
  void metricsAreAddedUpUnderTheirNames() {
    var wanted = PropagatedMetrics.of(List.of("cpu_utilization", "named_metrics.*"));
    serve(cluster(Optional.of(ONE), wanted, Samples.zone("a", E1)));
    script.ready(E1);

    // The example of A64 "Aggregation".
    report(Map.of("key1", 1.0, "key2", 2.0));
    report(Map.of("key2", 3.0, "key3", 4.0));
    report(Map.of());

    assertThat(only(take(ONE)).localities().get(0).metrics())
        .containsOnly(
            Map.entry("named_metrics.key1", new MetricTotal(1, 1)),
            Map.entry("named_metrics.key2", new MetricTotal(2, 5)),
            Map.entry("named_metrics.key3", new MetricTotal(1, 4)),
            Map.entry("cpu_utilization", new MetricTotal(3, 1.5)));
    assertThat(only(take(ONE)).localities()).isEmpty();
  }

  @Conformance("A64-01")
  @Test
  void withoutNamesNothingOfAReportIsWanted() {
    serve(cluster(ONE, Samples.zone("a", E1)));
    script.ready(E1);
    Subchannel subchannel = script.start("pay");
    assertThat(subchannel.wantsBackendMetrics()).isFalse();

    var wanted = PropagatedMetrics.of(List.of("mem_utilization"));
    serve(cluster(Optional.of(ONE), wanted, Samples.zone("a", E1)));
    assertThat(subchannel.wantsBackendMetrics()).isTrue();

    serve(cluster(ONE, Samples.zone("a", E1)));
    assertThat(subchannel.wantsBackendMetrics()).isFalse();
  }

  @Conformance("A64-02")
  @Test
  void metricsOfOldNamesAreToldOnceMore() {
    var wanted = PropagatedMetrics.of(List.of("named_metrics.key"));
    serve(cluster(Optional.of(ONE), wanted, Samples.zone("a", E1)));
    script.ready(E1);
    report(Map.of("key", 1.0, "other", 2.0));

    serve(cluster(ONE, Samples.zone("a", E1)));

    assertThat(only(take(ONE)).localities().get(0).metrics())
        .containsOnly(Map.entry("named_metrics.key", new MetricTotal(1, 1)));
    report(Map.of("key", 1.0));
    assertThat(only(take(ONE)).localities().get(0).metrics()).isEmpty();
  }

  @Conformance("A64-01")
  @Test
  void metricsOfNamesThatChangedTwiceAreToldOnceMore() {
    var first = PropagatedMetrics.of(List.of("named_metrics.one"));
    var second = PropagatedMetrics.of(List.of("named_metrics.two"));
    serve(cluster(Optional.of(ONE), first, Samples.zone("a", E1)));
    script.ready(E1);
    report(Map.of("one", 1.0));

    serve(cluster(Optional.of(ONE), second, Samples.zone("a", E1)));
    report(Map.of("two", 2.0));
    serve(cluster(ONE, Samples.zone("a", E1)));

    assertThat(only(take(ONE)).localities().get(0).metrics())
        .containsOnly(
            Map.entry("named_metrics.one", new MetricTotal(1, 1)),
            Map.entry("named_metrics.two", new MetricTotal(1, 2)));
  }

  @Test
  void clustersThatComeAndGoWhileNobodyListensAreNotKeptForEver() {
    for (int i = 0; i < LoadRegistry.MAX_WITHOUT_METER + 10; i++) {
      script.apply(Samples.config(Set.of("c" + i), named("c" + i)));
    }
    script.apply(Samples.config(Set.of()));

    List<ClusterLoad> taken = take(ONE);

    assertThat(taken).hasSize(LoadRegistry.MAX_WITHOUT_METER);
    assertThat(taken.get(0).cluster()).isEqualTo("c10");
    assertThat(servers()).isEmpty();
  }

  @Test
  void theServerIsShownInTheTree() {
    serve(cluster(ONE, Samples.zone("a", E1)));

    assertThat(script.describe("pay").children().get(0).config())
        .containsEntry("load_reports_to", "one");
  }

  private void report(Map<String, Double> named) {
    Subchannel subchannel = script.start("pay");
    if (subchannel.wantsBackendMetrics()) {
      subchannel.onBackendMetrics(
          TestCall.CALL, new BackendMetrics(0, 0.5, 0, 0, 0, Map.of("cpu", 1.0), named));
    }
    subchannel.callEnded(TestCall.CALL, CallOutcome.SUCCESS);
  }

  private void serve(ClusterConfig.Leaf cluster) {
    script.apply(Samples.config(Set.of("pay"), cluster));
  }

  private Set<XdsServer> servers() {
    List<Set<XdsServer>> servers = new ArrayList<>();
    script.loop().inside(() -> servers.add(script.loads().servers()));
    return servers.get(0);
  }

  private List<ClusterLoad> take(XdsServer server, String... clusters) {
    Set<String> asked = Set.of(clusters);
    List<ClusterLoad> taken = new ArrayList<>();
    script
        .loop()
        .inside(
            () ->
                taken.addAll(
                    script.loads().take(server, name -> asked.isEmpty() || asked.contains(name))));
    return taken;
  }

  private static ClusterLoad only(List<ClusterLoad> loads) {
    assertThat(loads).hasSize(1);
    return loads.get(0);
  }

  private static LocalityLoad locality(ClusterLoad load, String zone) {
    return load.localities().stream()
        .filter(each -> each.locality().zone().equals(zone))
        .findFirst()
        .orElseThrow();
  }

  private static LocalityLoad load(
      String zone, long issued, long succeeded, long failed, long inProgress) {
    return new LocalityLoad(
        Samples.locality(zone), issued, succeeded, failed, inProgress, Map.of());
  }

  private static XdsServer server(String uri) {
    return new XdsServer(
        uri, new XdsServer.ChannelCredentials.Insecure(), List.of(), ServerFeatures.NONE);
  }

  private static ClusterConfig.Leaf cluster(XdsServer server, LocalityEndpoints... localities) {
    return cluster(Optional.of(server), PropagatedMetrics.NONE, localities);
  }

  private static ClusterConfig.Leaf cluster(
      Optional<XdsServer> server, PropagatedMetrics metrics, LocalityEndpoints... localities) {
    var cluster = Samples.cluster("pay", new ClusterSource.Eds("pay-eds"));
    EndpointSet endpoints = Samples.endpoints(List.of(List.of(localities)));
    return Samples.leaf(
        server.map(to -> Samples.reported(cluster, new LoadReporting(to, metrics))).orElse(cluster),
        endpoints);
  }

  /** Takes two requests at once, and drops one of a hundred in each category. */
  private static ClusterConfig.Leaf dropping(String... categories) {
    var cluster =
        Samples.cluster("pay", new ClusterSource.Eds("pay-eds"), ClusterResource.DEFAULT_POLICY, 2);
    DropCategory[] drops =
        Arrays.stream(categories)
            .map(category -> new DropCategory(category, new Fraction(1, 100)))
            .toArray(DropCategory[]::new);
    return Samples.leaf(
        Samples.reported(cluster, new LoadReporting(ONE, PropagatedMetrics.NONE)),
        Samples.endpoints(List.of(List.of(Samples.zone("a", E1))), drops));
  }

  private static ClusterConfig.Leaf named(String name) {
    return Samples.leaf(
        Samples.reported(
            Samples.cluster(name, new ClusterSource.Eds(name)),
            new LoadReporting(ONE, PropagatedMetrics.NONE)),
        Samples.priorities(Samples.zone("a", E1)));
  }
}
