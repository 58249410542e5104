package io.outrigger.lb.tree;

import static io.outrigger.lb.state.Connectivity.READY;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.route.Fraction;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.PickResult.Reason;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Aggregate clusters as the priority of their leaves (A37, A75). */
class AggregateScenarioTest {
  private static final String A0 = "10.0.0.1:80";
  private static final String A1 = "10.0.1.1:80";
  private static final String B0 = "10.1.0.1:80";
  private static final String B1 = "10.1.0.2:80";
  private static final String C0 = "10.2.0.1:80";

  private final ClusterConfig.Leaf a =
      Samples.eds("a", Samples.priorities(Samples.zone("x", A0), Samples.zone("y", A1)));
  private final ClusterConfig.Leaf b = Samples.eds("b", B0, B1);
  private final ClusterConfig.Leaf c = Samples.eds("c", C0);

  private final LbScript lb = new LbScript();

  @Conformance({"A75-01", "A75-19"})
  @Test
  void prioritiesOfTheFirstLeafComeBeforeTheNextLeaf() {
    apply("a", "b");
    assertThat(lb.open()).containsExactly(A0);

    lb.end(A0);
    assertThat(lb.open()).contains(A1).doesNotContain(B0);
    lb.ready(A1);
    assertThat(lb.picked("all")).isEqualTo(A1);
    lb.end(A1);
    lb.end(A1);
    lb.ready(B0);

    assertThat(lb.picked("all")).isEqualTo(B0);
  }

  @Conformance("A75-02")
  @Test
  void eachLeafIsBalancedByItsOwnPolicy() {
    var first =
        Samples.leaf(
            Samples.cluster(
                "a", new ClusterSource.Eds("a"), new BalancingPolicy.PickFirst(false), 100),
            Samples.priorities(Samples.zone("x", A0, A1)));
    lb.apply(Samples.config(Set.of("all"), Samples.aggregate("all", "a", "b"), first, b));
    lb.ready(A0);
    assertThat(lb.shares("all", 10)).isEqualTo(Map.of(A0, 10));

    lb.end(A0);
    lb.pick("all");
    lb.end(A0, A1);
    lb.ready(B0, B1);

    assertThat(lb.shares("all", 10)).isEqualTo(Map.of(B0, 5, B1, 5));
  }

  @Conformance("A75-03")
  @Test
  void thePolicyOfTheAggregateIsNobodys() {
    var pickFirst =
        Samples.cluster(
            "all",
            new ClusterSource.Aggregate(List.of("b")),
            new BalancingPolicy.PickFirst(false),
            1);

    lb.apply(
        Samples.config(
            Set.of("all"), new ClusterConfig.Aggregate(pickFirst, List.of("b"), Samples.NOTE), b));
    lb.ready(B0, B1);

    assertThat(lb.shares("all", 10)).isEqualTo(Map.of(B0, 5, B1, 5));
  }

  @Conformance("A75-05")
  @Test
  void thePolicyOfTheAggregateIsThatOfItsLeavesWhenAggregatesDecide() {
    var pickFirst =
        Samples.cluster(
            "all",
            new ClusterSource.Aggregate(List.of("b")),
            new BalancingPolicy.PickFirst(false),
            1);
    var older = LbScript.withAggregatesDeciding();

    older.apply(
        Samples.config(
            Set.of("all"), new ClusterConfig.Aggregate(pickFirst, List.of("b"), Samples.NOTE), b));
    older.ready(B0);

    assertThat(older.shares("all", 10)).isEqualTo(Map.of(B0, 10));
    assertThat(older.open()).as("pick_first connects to no other").doesNotContain(B1);
  }

  @Conformance("A75-05")
  @Test
  void aLeafThatBalancesAsTheAggregateSaysIsAsItWas() {
    var same =
        Samples.cluster(
            "all",
            new ClusterSource.Aggregate(List.of("b")),
            b.cluster().policy(),
            ClusterResource.Limits.DEFAULT.maxRequests());
    var older = LbScript.withAggregatesDeciding();

    older.apply(
        Samples.config(
            Set.of("all"), new ClusterConfig.Aggregate(same, List.of("b"), Samples.NOTE), b));
    older.ready(B0, B1);

    assertThat(older.shares("all", 10)).isEqualTo(Map.of(B0, 5, B1, 5));
  }

  @Conformance("A75-17")
  @Test
  void reorderingMovesTrafficAndClosesNothing() {
    apply("a", "b");
    lb.end(A0, A1);
    lb.ready(B0, B1);
    lb.advance(Duration.ofSeconds(2));
    lb.ready(A0);
    assertThat(lb.picked("all")).isEqualTo(A0);

    apply("b", "a");

    assertThat(lb.picked("all")).isIn(B0, B1);
    assertThat(lb.connector().last(A0).isGivenUp()).isFalse();
    assertThat(lb.connector().last(B0).isGivenUp()).isFalse();
    assertThat(lb.connector().count(B0)).isEqualTo(1);
  }

  @Conformance("A75-18")
  @Test
  void aLeafThatIsRemovedIsClosedAndOneAddedBelowIsNotConnected() {
    apply("a", "b");
    lb.end(A0, A1);
    lb.ready(B0, B1);

    apply("b", "c");

    assertThat(lb.open()).containsExactlyInAnyOrder(B0, B1);
    assertThat(lb.connector().count(C0)).isZero();
    assertThat(lb.picked("all")).isIn(B0, B1);
  }

  @Conformance("A75-18")
  @Test
  void callsOnARemovedLeafFinish() {
    apply("a", "b");
    lb.ready(A0);
    Subchannel stream = lb.start("all");

    apply("b");
    stream.callEnded(TestCall.CALL, CallOutcome.SUCCESS);

    assertThat(lb.open()).containsExactly(B0, B1);
  }

  @Conformance("A75-19")
  @Test
  void lowerLeavesAreLazyThoughTheyAreConfigured() {
    apply("a", "b", "c");
    lb.ready(A0);

    lb.advance(Duration.ofHours(1));

    assertThat(lb.open()).containsExactly(A0);
    assertThat(lb.live()).containsExactly("all");
  }

  @Conformance("A75-20")
  @Test
  void leavesThatHangAreLeftAfterTenSecondsEachInOneLayer() {
    apply("b", "c", "a");

    lb.advance(Duration.ofSeconds(10));
    assertThat(lb.open()).containsExactly(B0, B1, C0);
    lb.advance(Duration.ofSeconds(10));

    assertThat(lb.open()).containsExactly(B0, B1, C0, A0);
  }

  @Conformance("A75-20")
  @Test
  void aLeafWhoseFirstPriorityHangsIsUsedAgainOnceItsSecondIsReady() {
    apply("a", "b");
    lb.advance(Duration.ofSeconds(10));
    assertThat(lb.open()).contains(A0, A1, B0);
    lb.ready(B0);
    assertThat(lb.picked("all")).isEqualTo(B0);

    lb.ready(A1);

    assertThat(lb.picked("all")).isEqualTo(A1);
  }

  @Conformance("A75-21")
  @Test
  void aLeafThatWorksAgainIsUsedAtOnceAndTheLowerKeptFifteenMinutes() {
    apply("b", "c");
    lb.end(B0, B1);
    lb.ready(C0);
    Subchannel stream = lb.start("all");
    lb.advance(Duration.ofSeconds(2));

    lb.ready(B0);

    assertThat(lb.picked("all")).isEqualTo(B0);
    assertThat(stream.transport()).isNotNull();
    lb.advance(Duration.ofMinutes(15).minusMillis(1));
    assertThat(lb.connector().last(C0).isGivenUp()).isFalse();
    lb.advance(Duration.ofMillis(1));
    assertThat(lb.connector().last(C0).isGivenUp()).isTrue();
  }

  @Conformance("A75-22")
  @Test
  void limitsAndDropsAreThoseOfTheLeafInUse() {
    var limited =
        Samples.leaf(
            Samples.cluster("a", new ClusterSource.Eds("a"), ClusterResource.DEFAULT_POLICY, 1),
            Samples.priorities(Samples.zone("x", A0)));
    var dropping =
        Samples.eds(
            "b",
            new EndpointSet(
                "b",
                List.of(List.of(Samples.zone("x", B0))),
                List.of(new DropCategory("all", new Fraction(100, 100)))));
    lb.apply(Samples.config(Set.of("all"), Samples.aggregate("all", "a", "b"), limited, dropping));
    lb.ready(A0);
    lb.start("all");
    assertThat(reason()).isEqualTo(Reason.CIRCUIT_BREAKER);

    lb.end(A0);
    lb.end(A0);
    lb.ready(B0);

    assertThat(reason()).isEqualTo(Reason.OVERLOAD_DROP);
  }

  /** For failures that are no picker's, such as a connection that is lost under a call. */
  @Test
  void aBackendKnowsTheResolutionNoteOfItsLeaf() {
    var a = leafA(1, A0);
    lb.apply(Samples.config(Set.of("all"), Samples.aggregate("all", "a", "b"), a, b));
    readyAll(A0);
    Subchannel call = lb.start("all");
    assertThat(call.note().note()).isEqualTo(Samples.NOTE);

    var ambient = new ClusterConfig.Leaf(a.cluster(), a.endpoints(), "ambient");
    lb.apply(Samples.config(Set.of("all"), Samples.aggregate("all", "a", "b"), ambient, b));

    assertThat(call.note().note()).isEqualTo("ambient");
  }

  @Conformance({"A75-23", "A32-10"})
  @Test
  void aLeafThatIsAlsoUsedDirectlyHasOneCounterAndBothGetUpdates() {
    var limited = leafA(1, A0);
    lb.apply(Samples.config(Set.of("all", "a"), Samples.aggregate("all", "a", "b"), limited, b));
    readyAll(A0);
    Subchannel call = lb.start("a");
    assertThat(reason()).isEqualTo(Reason.CIRCUIT_BREAKER);
    call.callEnded(TestCall.CALL, CallOutcome.SUCCESS);

    lb.apply(
        Samples.config(Set.of("all", "a"), Samples.aggregate("all", "a", "b"), leafA(1, A1), b));
    readyAll(A1);

    assertThat(lb.picked("all")).isEqualTo(A1);
    assertThat(lb.picked("a")).isEqualTo(A1);
  }

  @Test
  void aLeafThatFailedIsSkippedAndComesBack() {
    lb.apply(
        Samples.config(
            Set.of("all"), Map.of("a", Samples.gone("a")), Samples.aggregate("all", "a", "b"), b));
    lb.ready(B0);
    assertThat(lb.picked("all")).isEqualTo(B0);

    apply("a", "b");
    lb.ready(A0);

    assertThat(lb.picked("all")).isEqualTo(A0);
    assertThat(lb.connector().count(B0)).isEqualTo(1);
  }

  @Conformance("A37-03")
  @Test
  void aNameThatDoesNotResolveIsFollowedByTheNextLeaf() {
    var unresolved =
        new ClusterConfig.Leaf(
            Samples.cluster("a", new ClusterSource.Dns("a.test", 80, true)),
            Outcome.failed(RpcStatus.unavailable("name a.test does not resolve")),
            Samples.NOTE);
    lb.apply(Samples.config(Set.of("all", "a"), Samples.aggregate("all", "a", "b"), unresolved, b));
    lb.ready(B0);
    assertThat(lb.failure("a")).contains("name a.test does not resolve");

    assertThat(lb.picked("all")).isEqualTo(B0);
  }

  @Conformance("A37-10")
  @Test
  void failoverFromEdsToDnsAndBackLosesNoCallOnceEachIsReady() {
    var dns = Samples.dns("d", C0);
    lb.apply(Samples.config(Set.of("all"), Samples.aggregate("all", "b", "d"), b, dns));
    lb.ready(B0, B1);
    assertThat(lb.picked("all")).isIn(B0, B1);

    lb.end(B0, B1);
    assertThat(lb.pick("all")).isInstanceOf(PickResult.Queue.class);
    lb.end(B0, B1);
    lb.ready(C0);
    assertThat(lb.picked("all")).isEqualTo(C0);
    lb.advance(Duration.ofSeconds(3));
    lb.ready(B0);
    assertThat(lb.picked("all")).isEqualTo(B0);
    lb.end(B0);
    lb.end(B0);

    assertThat(lb.picked("all")).isEqualTo(C0);
    assertThat(lb.state("all")).isEqualTo(READY);
  }

  @Conformance("A75-47")
  @Test
  void anEdsLeafThatReconnectsDoesNotResolveTheNameAgain() {
    var dns = Samples.dns("d", C0);
    lb.apply(Samples.config(Set.of("all"), Samples.aggregate("all", "c", "d"), leafC(), dns));
    lb.end(B0);
    lb.ready(C0);

    for (int i = 0; i < 5; i++) {
      lb.advance(Duration.ofSeconds(130));
      lb.end(B0);
    }

    assertThat(lb.reresolutions()).isZero();
  }

  private static ClusterConfig.Leaf leafC() {
    return Samples.eds("c", B0);
  }

  private static ClusterConfig.Leaf leafA(long maxRequests, String address) {
    return Samples.leaf(
        Samples.cluster(
            "a", new ClusterSource.Eds("a"), ClusterResource.DEFAULT_POLICY, maxRequests),
        Samples.priorities(Samples.zone("x", address)));
  }

  /** Every attempt to {@code address} that is under way succeeds. */
  private void readyAll(String address) {
    lb.loop().inside(() -> lb.connector().readyAll(address));
  }

  private Reason reason() {
    return ((PickResult.Drop) lb.pick("all")).reason();
  }

  private void apply(String... leaves) {
    lb.apply(Samples.config(Set.of("all"), Samples.aggregate("all", leaves), a, b, c));
  }
}
