package io.outrigger.lb.tree;

import static io.outrigger.lb.state.Connectivity.CONNECTING;
import static io.outrigger.lb.state.Connectivity.IDLE;
import static io.outrigger.lb.state.Connectivity.READY;
import static io.outrigger.lb.state.Connectivity.TRANSIENT_FAILURE;
import static io.outrigger.lb.testing.Samples.endpoint;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.lb.view.LbNode;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the whole tree does with the calls of one cluster (A27, A37, A56). */
class ClusterTrafficScenarioTest {
  private static final String E1 = "10.0.0.1:80";
  private static final String E2 = "10.0.0.2:80";
  private static final String E3 = "10.0.0.3:80";
  private static final String E4 = "10.0.0.4:80";

  private final LbScript lb = new LbScript();

  @Conformance("A27-08")
  @Test
  void unusableEndpointsGetNoTrafficAndNoConnection() {
    lb.apply(
        Samples.config(
            Set.of("a"),
            Samples.eds(
                "a",
                Samples.priorities(
                    Samples.locality(
                        "z",
                        1,
                        Samples.endpoint(HealthStatus.HEALTHY, E1),
                        Samples.endpoint(HealthStatus.UNHEALTHY, E2),
                        Samples.endpoint(HealthStatus.UNKNOWN, E3),
                        Samples.endpoint(HealthStatus.DEGRADED, E4))))));
    lb.ready(E1, E3);

    assertThat(lb.open()).containsExactly(E1, E3);
    assertThat(lb.shares("a", 10)).isEqualTo(Map.of(E1, 5, E3, 5));
    assertThat(lb.endpoint("a", E2).health()).isEqualTo(HealthStatus.UNHEALTHY);
    assertThat(lb.endpoint("a", E4).state()).isEqualTo(IDLE);
  }

  @Conformance("A52-05")
  @Test
  void aChangeOfPolicyKeepsConnectionsAndFailsNoCall() {
    lb.apply(Samples.config(Set.of("a"), balanced(ClusterResource.DEFAULT_POLICY, E1, E2)));
    lb.ready(E1, E2);
    List<BalancingPolicy> policies =
        List.of(
            new BalancingPolicy.WrrLocality(new BalancingPolicy.LeastRequest(2)),
            new BalancingPolicy.RoundRobin(),
            new BalancingPolicy.PickFirst(false),
            ClusterResource.DEFAULT_POLICY);

    for (BalancingPolicy policy : policies) {
      lb.apply(Samples.config(Set.of("a"), balanced(policy, E1, E2)));
      assertThat(lb.state("a")).isEqualTo(READY);
      assertThat(lb.picked("a")).isIn(E1, E2);
    }

    assertThat(lb.connector().count(E1)).as("connections are handed on").isEqualTo(1);
  }

  @Conformance("A52-05")
  @Test
  void aNewPolicyWithNewEndpointsTakesOverWhenItIsReady() {
    lb.apply(Samples.config(Set.of("a"), balanced(ClusterResource.DEFAULT_POLICY, E1)));
    lb.ready(E1);

    var next = new BalancingPolicy.WrrLocality(new BalancingPolicy.LeastRequest(2));
    lb.apply(Samples.config(Set.of("a"), balanced(next, E2)));
    assertThat(lb.picked("a")).isEqualTo(E1);
    lb.ready(E2);

    assertThat(lb.picked("a")).isEqualTo(E2);
    assertThat(lb.open()).containsExactly(E2);
  }

  private static ClusterConfig.Leaf balanced(BalancingPolicy policy, String... addresses) {
    var resource = Samples.cluster("a", new ClusterSource.Eds("a"), policy, 100);
    return Samples.leaf(resource, Samples.priorities(Samples.zone("z", addresses)));
  }

  @Conformance("A27-09")
  @Test
  void localitiesShareByWeightAmongThoseThatAreReady() {
    lb.apply(
        Samples.config(
            Set.of("a"),
            Samples.eds(
                "a",
                Samples.endpoints(
                    List.of(
                        List.of(
                            Samples.locality("x", 3, Samples.endpoint(E1)),
                            Samples.locality("y", 1, Samples.endpoint(E2))))))));
    lb.ready(E1);
    assertThat(lb.shares("a", 100)).isEqualTo(Map.of(E1, 100));

    lb.ready(E2);

    assertThat(lb.shares("a", 4000).get(E1) / 4000.0).isBetween(0.72, 0.78);
  }

  @Conformance("A27-09")
  @Test
  void localitiesWhoseTextsAreEqualAreStillTwo() {
    var first = new LocalityEndpoints(new Locality("eu", "a/1", "s"), 1, List.of(endpoint(E1)));
    var second = new LocalityEndpoints(new Locality("eu/a", "1", "s"), 1, List.of(endpoint(E2)));
    lb.apply(
        Samples.config(
            Set.of("a"), Samples.eds("a", Samples.endpoints(List.of(List.of(first, second))))));
    lb.ready(E1, E2);

    assertThat(lb.shares("a", 100)).containsOnlyKeys(E1, E2);
    assertThat(localities(lb.describe("a")).config().get("weights"))
        .isEqualTo(Map.of("eu/a/1/s", 1L, second.locality().label(), 1L));
    lb.apply(
        Samples.config(Set.of("a"), Samples.eds("a", Samples.endpoints(List.of(List.of(second))))));
    assertThat(lb.open()).containsExactly(E2);
    assertThat(lb.connector().count(E2)).isEqualTo(1);
    lb.apply(Samples.config(Set.of()));
    assertThat(lb.open()).isEmpty();
  }

  @Conformance("A56-11")
  @Test
  void callsThatWaitGoToTheNextPriority() {
    lb.apply(
        Samples.config(
            Set.of("a"), Samples.eds("a", Samples.priorities(Samples.zone("x", E1), zone2()))));
    lb.ready(E1);
    lb.end(E1);
    List<String> woken = new ArrayList<>();
    assertThat(lb.pick("a")).isInstanceOf(PickResult.Queue.class);
    park("a", woken, "waiting");

    lb.end(E1);
    lb.ready(E2);

    assertThat(woken).containsExactly("waiting");
    assertThat(lb.picked("a")).isEqualTo(E2);
    assertThat(lb.state("a")).isEqualTo(READY);
  }

  @Conformance("A56-10")
  @Test
  void aLocalityThatMovesToAnotherPriorityAloneKeepsItsConnections() {
    var x = Samples.zone("x", E1);
    lb.apply(Samples.config(Set.of("a"), Samples.eds("a", Samples.priorities(x, zone2()))));
    lb.end(E1);
    lb.ready(E2);

    lb.apply(Samples.config(Set.of("a"), Samples.eds("a", Samples.priorities(zone2()))));

    assertThat(lb.connector().count(E2)).isEqualTo(1);
    assertThat(lb.picked("a")).isEqualTo(E2);
  }

  @Conformance("A56-10")
  @Test
  void aLocalityThatJoinsAnotherPriorityKeepsItsConnections() {
    var x = Samples.zone("x", E1);
    lb.apply(Samples.config(Set.of("a"), Samples.eds("a", Samples.priorities(x, zone2()))));
    lb.end(E1);
    lb.ready(E2);

    lb.apply(
        Samples.config(
            Set.of("a"), Samples.eds("a", Samples.endpoints(List.of(List.of(x, zone2()))))));

    assertThat(lb.connector().count(E2)).isEqualTo(1);
    assertThat(lb.connector().last(E2).isGivenUp()).isFalse();
    assertThat(lb.picked("a")).isEqualTo(E2);
  }

  @Conformance("A56-09")
  @Test
  void prioritiesThatSwapTheirLocalitiesFailNoCall() {
    var x = Samples.zone("x", E1);
    lb.apply(Samples.config(Set.of("a"), Samples.eds("a", Samples.priorities(x, zone2()))));
    lb.end(E1);
    lb.ready(E2);
    ClusterHandle handle = lb.handle("a");
    List<PickResult> seen = new ArrayList<>();

    lb.loop()
        .inside(
            () -> {
              lb.manager()
                  .apply(
                      Samples.config(
                          Set.of("a"), Samples.eds("a", Samples.priorities(zone2(), x))));
              seen.add(handle.picker().pick(TestCall.CALL));
            });

    assertThat(seen.get(0)).isInstanceOf(PickResult.Use.class);
    assertThat(lb.picked("a")).isEqualTo(E2);
  }

  @Conformance("A37-06")
  @Test
  void freshAddressesThatContainTheConnectedOneKeepTheConnection() {
    lb.apply(Samples.config(Set.of("a"), Samples.dns("a", E1, E2)));
    lb.ready(E1);

    lb.apply(Samples.config(Set.of("a"), Samples.dns("a", E3, E1)));

    assertThat(lb.open()).containsExactly(E1);
    assertThat(lb.picked("a")).isEqualTo(E1);
  }

  /** {@code DnsName} limits the rate of the look-ups. */
  @Conformance("A37-05")
  @Test
  void freshAddressesAreAskedForWhenAConnectionIsLost() {
    lb.apply(Samples.config(Set.of("a"), Samples.dns("a", E1)));
    lb.ready(E1);
    assertThat(lb.reresolutions()).isZero();

    lb.end(E1);

    assertThat(lb.reresolutions()).isEqualTo(1);
  }

  @Conformance("A37-05")
  @Test
  void endpointsThatEdsPushesAreNeverAskedFor() {
    lb.apply(Samples.config(Set.of("a"), Samples.eds("a", E1)));
    lb.ready(E1);

    lb.end(E1);
    lb.end(E1);

    assertThat(lb.reresolutions()).isZero();
  }

  @Test
  void anEmptiedClusterFailsAndRecovers() {
    lb.apply(Samples.config(Set.of("a"), Samples.eds("a", E1)));
    lb.ready(E1);

    lb.apply(Samples.config(Set.of("a"), Samples.eds("a", Samples.endpoints(List.of()))));
    assertThat(lb.state("a")).isEqualTo(TRANSIENT_FAILURE);
    assertThat(lb.failure("a")).contains("contains no usable endpoint");
    assertThat(lb.open()).isEmpty();
    lb.apply(Samples.config(Set.of("a"), Samples.eds("a", E1)));
    lb.ready(E1);

    assertThat(lb.picked("a")).isEqualTo(E1);
  }

  /** A priority without usable endpoints has failed: it gets no second grace to connect. */
  @Conformance("A56-04")
  @Test
  void aPriorityThatBecomesUsableAgainTakesCallsOnceItIsReady() {
    for (HealthStatus before : List.of(HealthStatus.HEALTHY, HealthStatus.UNHEALTHY)) {
      var script = new LbScript();
      script.apply(firstPriority(before));
      if (before == HealthStatus.HEALTHY) {
        script.ready(E1);
        script.apply(firstPriority(HealthStatus.UNHEALTHY));
      }
      script.ready(E2);
      assertThat(script.picked("a")).isEqualTo(E2);

      script.apply(firstPriority(HealthStatus.HEALTHY));

      assertThat(script.open()).contains(E1);
      assertThat(script.picked("a")).as("while the other connects").isEqualTo(E2);
      script.ready(E1);
      assertThat(script.picked("a")).isEqualTo(E1);
    }
  }

  @Test
  void aClusterAllOfWhoseEndpointsAreUnusableSaysSo() {
    var sick = Samples.locality("a", 1, Samples.endpoint(HealthStatus.DRAINING, E1));

    lb.apply(Samples.config(Set.of("a"), Samples.eds("a", Samples.priorities(sick))));

    assertThat(lb.failure("a"))
        .isEqualTo("cluster \"a\": contains no usable endpoint: 1 DRAINING; " + Samples.NOTE);
  }

  private static XdsConfig firstPriority(HealthStatus health) {
    return Samples.config(
        Set.of("a"),
        Samples.eds(
            "a",
            Samples.priorities(
                Samples.locality("x", 1, Samples.endpoint(health, E1)), Samples.zone("y", E2))));
  }

  /** A28: weights hold for a locality whose policy connects on demand only, too. */
  @Conformance("A28-11")
  @Test
  void aLocalityThatFellIdleIsWokenByItsShareOfTheCalls() {
    var policy = new BalancingPolicy.WrrLocality(new BalancingPolicy.PickFirst(false));
    var resource = Samples.cluster("a", new ClusterSource.Eds("a"), policy, 100);
    var both = Samples.endpoints(List.of(List.of(Samples.zone("x", E1), Samples.zone("y", E2))));
    lb.apply(Samples.config(Set.of("a"), Samples.leaf(resource, both)));
    lb.ready(E1, E2);
    lb.advance(Duration.ofMinutes(3));
    lb.end(E2);
    assertThat(lb.open()).containsExactly(E1);

    lb.random().next(Purpose.LOCALITY_WEIGHT, 1);
    assertThat(lb.pick("a")).as("wakes the locality").isInstanceOf(PickResult.Queue.class);
    assertThat(lb.open()).containsExactly(E1, E2);
    assertThat(lb.picked("a")).as("and is picked again").isEqualTo(E1);
    lb.ready(E2);

    assertThat(lb.shares("a", 100)).containsKeys(E1, E2);
  }

  @Conformance("A37-02")
  @Test
  void aNameHasOneConnectionAndMakesItAgainByItself() {
    lb.apply(Samples.config(Set.of("db"), Samples.dns("db", E1, E2)));
    lb.ready(E1);
    lb.advance(Duration.ofSeconds(1));
    assertThat(lb.shares("db", 10)).isEqualTo(Map.of(E1, 10));
    assertThat(lb.open()).containsExactly(E1);

    lb.advance(Duration.ofMinutes(3));
    lb.end(E1);

    assertThat(lb.open()).as("without a call").hasSize(1);
    assertThat(lb.reresolutions()).isEqualTo(1);
  }

  @Test
  void endpointsOfAPriorityThatIsNotStartedCountAsIdle() {
    lb.apply(
        Samples.config(
            Set.of("a"),
            Samples.eds(
                "a", Samples.priorities(Samples.zone("x", E1, E2), Samples.zone("y", E3, E4)))));
    lb.ready(E1);
    var tally = new EndpointTally();

    lb.loop().inside(() -> lb.manager().count(cluster -> tally));

    assertThat(tally.of(READY)).isEqualTo(1);
    assertThat(tally.of(CONNECTING)).isEqualTo(1);
    assertThat(tally.of(IDLE)).isEqualTo(2);
  }

  @Test
  void statusShowsTheWholeTree() {
    lb.apply(
        Samples.config(
            Set.of("a"), Samples.eds("a", Samples.priorities(Samples.zone("x", E1), zone2()))));
    lb.ready(E1);
    lb.start("a");

    var outlier = lb.describe("a");
    var cluster = outlier.children().get(0);
    var priorities = cluster.children().get(0).children().get(0);
    var locality = priorities.children().get(0).children().get(0);

    assertThat(outlier.policy()).isEqualTo("outlier_detection");
    assertThat(cluster.detail()).isEqualTo("1 request in flight");
    assertThat(priorities.detail()).isEqualTo("priority 0 is in use");
    assertThat(locality.name()).isEqualTo("r/x/s");
    assertThat(locality.endpoints().get(0).state()).isEqualTo(READY);
    assertThat(locality.endpoints().get(0).calls().active()).isEqualTo(1);
    assertThat(priorities.children().get(1).detail()).isEqualTo("not started");
    assertThat(priorities.children().get(1).endpoints().get(0).address())
        .isEqualTo(Samples.address(E2));
  }

  /** The node of the first priority's localities. */
  private static LbNode localities(LbNode outlier) {
    return outlier.children().get(0).children().get(0).children().get(0).children().get(0);
  }

  private static LocalityEndpoints zone2() {
    return Samples.zone("y", E2);
  }

  private void park(String cluster, List<String> woken, String name) {
    ClusterHandle handle = lb.handle(cluster);
    assertThat(handle.park(() -> woken.add(name), handle.picker()))
        .isNotEqualTo(PickQueue.NOT_PARKED);
  }
}
