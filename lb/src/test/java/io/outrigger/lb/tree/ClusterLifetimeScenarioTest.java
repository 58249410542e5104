package io.outrigger.lb.tree;

import static io.outrigger.lb.state.Connectivity.CONNECTING;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.route.Fraction;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.PickResult.Reason;
import io.outrigger.lb.Picker;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The life of clusters and what their updates touch (A31, A32). */
class ClusterLifetimeScenarioTest {
  private static final String E1 = "10.0.0.1:80";
  private static final String E2 = "10.0.0.2:80";
  private static final String E3 = "10.0.0.3:80";

  private final LbScript lb = new LbScript();

  @Test
  void everyHandleHasAPickerWhenTheUpdateReturns() {
    lb.apply(Samples.config(Set.of("a", "b"), Samples.eds("a", E1), Samples.eds("b", E2)));

    assertThat(lb.state("a")).isEqualTo(CONNECTING);
    assertThat(lb.pick("b")).isInstanceOf(PickResult.Queue.class);
    assertThat(lb.live()).containsExactlyInAnyOrder("a", "b");
  }

  @Conformance("SC-20")
  @Test
  void callsWaitWhileConnectingAndFailOrGoOnceThatIsDecided() {
    lb.apply(Samples.config(Set.of("a"), Samples.eds("a", E1)));
    List<String> woken = new ArrayList<>();
    assertThat(lb.pick("a")).isInstanceOf(PickResult.Queue.class);
    park("a", woken, "first");
    park("a", woken, "second");

    lb.end(E1);
    assertThat(woken).containsExactly("first", "second");
    assertThat(lb.pick("a")).isInstanceOf(PickResult.Fail.class);
    park("a", woken, "waits for ready");
    lb.advance(Duration.ofSeconds(2));
    lb.ready(E1);

    assertThat(woken).endsWith("waits for ready");
    assertThat(lb.picked("a")).isEqualTo(E1);
  }

  @Conformance("A31-03")
  @Test
  void aClusterThatIsDownFailsItsCallsAndNoOthers() {
    lb.apply(Samples.config(Set.of("a", "b"), Samples.eds("a", E1), Samples.eds("b", E2)));

    lb.end(E1);
    lb.ready(E2);

    assertThat(lb.failure("a")).contains("no endpoint can be reached");
    assertThat(lb.picked("b")).isEqualTo(E2);
  }

  /** For failures that are no picker's, such as a connection that is lost under a call. */
  @Test
  void theHandleKnowsTheResolutionNoteOfItsCluster() {
    var leaf = Samples.eds("a", E1);
    lb.apply(Samples.config(Set.of("a"), leaf));
    assertThat(lb.handle("a").note()).isEqualTo(Samples.NOTE);

    lb.apply(
        Samples.config(
            Set.of("a"), new ClusterConfig.Leaf(leaf.cluster(), leaf.endpoints(), "ambient")));

    assertThat(lb.handle("a").note()).isEqualTo("ambient");
  }

  @Conformance("A31-08")
  @Test
  void aReleasedCallNoLongerHoldsItsClusterThoughItsStreamGoesOn() {
    lb.apply(Samples.config(Set.of("a"), Samples.eds("a", E1)));
    lb.ready(E1);
    ClusterHandle handle = lb.handle("a");
    handle.acquire();
    Subchannel stream = lb.start("a");

    lb.apply(Samples.config(Set.of()));
    assertThat(lb.live()).containsExactly("a");
    assertThat(lb.connector().last(E1).isGivenUp()).isFalse();
    handle.release();
    lb.loop().run();

    assertThat(lb.live()).isEmpty();
    assertThat(lb.clusterChanges()).isEqualTo(1);
    assertThat(lb.connector().last(E1).isGivenUp()).isTrue();
    stream.callEnded(TestCall.CALL, CallOutcome.SUCCESS);
  }

  @Test
  void aClusterThatNobodyHoldsEndsWithTheUpdate() {
    lb.apply(Samples.config(Set.of("a"), Samples.eds("a", E1)));

    lb.apply(Samples.config(Set.of()));

    assertThat(lb.live()).isEmpty();
    assertThat(lb.open()).isEmpty();
    assertThat(lb.handle("a").acquire()).isFalse();
  }

  @Conformance("A31-09")
  @Test
  void aClusterThatDoesNotExistFailsEvenCallsThatWait() {
    lb.apply(Samples.config(Set.of("a"), Samples.eds("a", E1)));
    List<String> woken = new ArrayList<>();
    park("a", woken, "waiting");

    lb.apply(Samples.config(Set.of("a"), Map.of("a", Samples.gone("a"))));

    assertThat(woken).containsExactly("waiting");
    assertThat(((PickResult.Drop) lb.pick("a")).reason()).isEqualTo(Reason.NO_CLUSTER);
    assertThat(lb.failure("a")).isEqualTo("cluster \"a\" does not exist");
    assertThat(lb.open()).isEmpty();
  }

  @Conformance("SC-21")
  @Test
  void callsThatWaitOutlastAClusterThatIsUnusable() {
    List<String> woken = new ArrayList<>();
    var refused = RpcStatus.unavailable("cluster \"a\" is invalid");

    lb.apply(Samples.config(Set.of("a"), Map.of("a", refused)));

    assertThat(lb.pick("a")).isEqualTo(new PickResult.Fail(refused, true));
    park("a", woken, "waiting");
    lb.apply(Samples.config(Set.of("a"), Samples.eds("a", E1)));
    assertThat(woken).containsExactly("waiting");
    lb.ready(E1);
    assertThat(lb.picked("a")).isEqualTo(E1);
  }

  @Conformance({"A31-09", "A31-41"})
  @Test
  void aHeldClusterThatIsDeletedFailsOnlyItsOwnCalls() {
    lb.apply(Samples.config(Set.of("a", "b"), Samples.eds("a", E1), Samples.eds("b", E2)));
    lb.ready(E2);
    lb.handle("a").acquire();

    lb.apply(Samples.config(Set.of("b"), Map.of("a", Samples.gone("a")), Samples.eds("b", E2)));

    assertThat(lb.pick("a")).isInstanceOf(PickResult.Drop.class);
    assertThat(lb.picked("b")).isEqualTo(E2);
  }

  @Conformance("A31-12")
  @Test
  void aClusterThatComesBackWhileHeldKeepsConnectionsAndCounters() {
    ClusterConfig.Leaf cluster = limited("a", 1, E1);
    lb.apply(Samples.config(Set.of("a"), cluster));
    lb.ready(E1);
    ClusterHandle handle = lb.handle("a");
    handle.acquire();
    lb.start("a");
    lb.apply(Samples.config(Set.of(), cluster));
    assertThat(handle.acquire()).isFalse();

    lb.apply(Samples.config(Set.of("a"), cluster));

    assertThat(lb.handle("a")).isSameAs(handle);
    assertThat(handle.acquire()).isTrue();
    assertThat(lb.connector().count()).isEqualTo(1);
    assertThat(((PickResult.Drop) lb.pick("a")).reason()).isEqualTo(Reason.CIRCUIT_BREAKER);
  }

  @Test
  void aReleaseThatIsOvertakenByARevivalEndsNothing() {
    lb.apply(Samples.config(Set.of("a"), Samples.eds("a", E1)));
    ClusterHandle handle = lb.handle("a");
    handle.acquire();
    lb.apply(Samples.config(Set.of()));

    lb.loop()
        .inside(
            () -> {
              handle.release();
              lb.manager().apply(Samples.config(Set.of("a"), Samples.eds("a", E1)));
            });

    assertThat(lb.live()).containsExactly("a");
    assertThat(lb.clusterChanges()).isZero();
  }

  @Conformance("A31-13")
  @Test
  void clustersInBothVersionsAreNotDisturbed() {
    lb.apply(Samples.config(Set.of("a", "b"), Samples.eds("a", E1), Samples.eds("b", E2)));
    lb.ready(E1, E2);
    Picker before = lb.handle("b").picker();

    lb.apply(Samples.config(Set.of("b", "c"), Samples.eds("b", E2), Samples.eds("c", E3)));

    assertThat(lb.handle("b").picker()).isSameAs(before);
    assertThat(lb.connector().count(E2)).isEqualTo(1);
    assertThat(lb.open()).containsExactly(E2, E3);
  }

  @Conformance("A31-36")
  @Test
  void aClusterIsOneInstanceHoweverManyRoutesNameIt() {
    lb.apply(Samples.config(Set.of("a"), limited("a", 1, E1)));
    ClusterHandle first = lb.handle("a");
    lb.apply(Samples.config(Set.of("a", "b"), limited("a", 1, E1), Samples.eds("b", E2)));
    lb.ready(E1);

    assertThat(lb.handle("a")).isSameAs(first);
    assertThat(lb.connector().count(E1)).isEqualTo(1);
    lb.start("a");

    assertThat(lb.pick("a")).isInstanceOf(PickResult.Drop.class);
  }

  @Test
  void oneChangeAmongTenThousandClustersTouchesOnlyThatOne() {
    int count = 10_000;
    ClusterConfig[] clusters = clusters(count);
    Set<String> names = Set.copyOf(IntStream.range(0, count).mapToObj(i -> "c" + i).toList());
    lb.apply(Samples.config(names, clusters));
    List<Picker> before = pickers(count);
    int attempts = lb.connector().count();

    ClusterConfig[] next = clusters(count);
    next[77] = Samples.eds("c77", "10.9.9.9:80");
    lb.apply(Samples.config(names, next));

    List<Picker> after = pickers(count);
    assertThat(IntStream.range(0, count).filter(i -> before.get(i) != after.get(i)))
        .containsExactly(77);
    assertThat(lb.connector().count()).isEqualTo(attempts + 1);
  }

  @Conformance({"A32-02", "A32-10", "A31-36"})
  @Test
  void theLimitHoldsAcrossTargets() {
    var loop = new FakeControlLoop();
    var breakers = new CircuitBreakers();
    var one = new LbScript(loop, breakers);
    var other = new LbScript(loop, breakers);
    one.apply(Samples.config(Set.of("a"), limited("a", 2, E1)));
    other.apply(Samples.config(Set.of("a"), limited("a", 2, E1)));
    one.ready(E1);
    other.ready(E1);

    Subchannel call = one.start("a");
    other.start("a");
    assertThat(one.pick("a")).isInstanceOf(PickResult.Drop.class);
    assertThat(other.pick("a")).isInstanceOf(PickResult.Drop.class);
    call.callEnded(TestCall.CALL, CallOutcome.SUCCESS);

    assertThat(other.pick("a")).isInstanceOf(PickResult.Use.class);
  }

  @Conformance("A32-09")
  @Test
  void anotherServiceNameStartsAFreshCounter() {
    lb.apply(Samples.config(Set.of("a"), limited("a", 1, E1)));
    lb.ready(E1);
    Subchannel old = lb.start("a");
    var renamed =
        Samples.cluster("a", new ClusterSource.Eds("eds2"), ClusterResource.DEFAULT_POLICY, 1);

    lb.apply(
        Samples.config(
            Set.of("a"), Samples.leaf(renamed, Samples.priorities(Samples.zone("z", E1)))));
    Subchannel next = lb.start("a");
    old.callEnded(TestCall.CALL, CallOutcome.SUCCESS);
    assertThat(lb.pick("a")).isInstanceOf(PickResult.Drop.class);
    next.callEnded(TestCall.CALL, CallOutcome.SUCCESS);

    assertThat(lb.pick("a")).isInstanceOf(PickResult.Use.class);
    assertThat(lb.connector().count(E1)).as("the endpoint keeps its connection").isEqualTo(1);
  }

  @Conformance({"A32-09", "A52-05"})
  @Test
  void anotherServiceNameActsAtOnce() {
    lb.apply(Samples.config(Set.of("a"), limited("a", 1, E1)));
    lb.ready(E1);
    var drops = new DropCategory("all", new Fraction(100, 100));
    var renamed =
        Samples.leaf(
            Samples.cluster("a", new ClusterSource.Eds("eds2")),
            Samples.endpoints(List.of(List.of(Samples.zone("z", E2))), drops));

    lb.apply(Samples.config(Set.of("a"), renamed));

    assertThat(lb.failure("a")).contains("dropped by overload category \"all\"");
    assertThat(lb.open()).containsExactly(E2);
  }

  /** A graceful switch is for policies: a source of endpoints that is no more is left at once. */
  @Conformance("A52-05")
  @Test
  void aClusterOfAnotherTypeLeavesItsOldEndpointsAtOnce() {
    ClusterConfig.Leaf eds = Samples.eds("a", E1);
    ClusterConfig.Leaf part = Samples.eds("part", E3);
    List<ClusterConfig> types =
        List.of(Samples.dns("a", E2), Samples.aggregate("a", "part"), Samples.dns("a", E2));
    List<String> addresses = List.of(E2, E3, E2);
    lb.apply(Samples.config(Set.of("a"), eds));
    lb.ready(E1);

    for (int i = 0; i < types.size(); i++) {
      lb.apply(Samples.config(Set.of("a"), types.get(i), part));

      assertThat(lb.state("a")).isEqualTo(CONNECTING);
      assertThat(lb.pick("a")).isInstanceOf(PickResult.Queue.class);
      assertThat(lb.open()).containsExactly(addresses.get(i));
      lb.ready(addresses.get(i));
      assertThat(lb.picked("a")).isEqualTo(addresses.get(i));
    }
  }

  @Test
  void closingFailsWaitingCallsAndClosesConnections() {
    lb.apply(Samples.config(Set.of("a"), Samples.eds("a", E1)));
    List<String> woken = new ArrayList<>();
    park("a", woken, "waiting");

    lb.loop().inside(() -> lb.manager().close());

    assertThat(woken).containsExactly("waiting");
    assertThat(lb.pick("a")).isInstanceOf(PickResult.Drop.class);
    assertThat(lb.open()).isEmpty();
    assertThat(lb.loop().pendingTimers()).isZero();
  }

  private static ClusterConfig.Leaf limited(String name, long maxRequests, String address) {
    return Samples.leaf(
        Samples.cluster(
            name, new ClusterSource.Eds(name), ClusterResource.DEFAULT_POLICY, maxRequests),
        Samples.priorities(Samples.zone("z", address)));
  }

  private static ClusterConfig[] clusters(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> Samples.eds("c" + i, "10.1." + i / 250 + "." + i % 250 + ":80"))
        .toArray(ClusterConfig[]::new);
  }

  private List<Picker> pickers(int count) {
    return IntStream.range(0, count).mapToObj(i -> lb.handle("c" + i).picker()).toList();
  }

  private void park(String cluster, List<String> woken, String name) {
    ClusterHandle handle = lb.handle(cluster);
    assertThat(handle.park(() -> woken.add(name), handle.picker()))
        .isNotEqualTo(PickQueue.NOT_PARKED);
  }
}
