package io.outrigger.lb.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.base.Outcome;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.CircuitBreaker;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Odds;
import io.outrigger.lb.testing.PlannedTestCall;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.lb.view.LbNode;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What a manager is asked besides {@code apply} and {@code retire}. */
class ClusterManagerTest {
  private static final String E1 = "10.0.0.1:80";
  private static final String E2 = "10.0.0.2:80";
  private static final String E3 = "10.0.0.3:80";

  private final CircuitBreakers breakers = new CircuitBreakers();
  private final LbScript lb = new LbScript(new FakeControlLoop(), breakers);
  private final ClusterManager manager = lb.manager();

  @Test
  void anUpdateReachesAClusterAndTheAggregatesThatHaveIt() {
    lb.apply(
        Samples.config(
            Set.of("pay", "all", "other"),
            Samples.eds("pay", E1),
            Samples.aggregate("all", "pay"),
            Samples.eds("other", E3)));
    assertThat(lb.open()).containsExactlyInAnyOrder(E1, E1, E3);
    var other = lb.handle("other").picker();

    update(Samples.eds("pay", E2), Samples.eds("unknown", E3));

    assertThat(lb.open()).containsExactlyInAnyOrder(E2, E2, E3);
    assertThat(lb.handle("other").picker()).isSameAs(other);
    assertThat(lb.live()).containsExactlyInAnyOrder("pay", "all", "other");
  }

  @Test
  void anUpdateReachesAClusterThatOnlyCallsHold() {
    lb.apply(Samples.config(Set.of("pay"), Samples.eds("pay", E1)));
    lb.handle("pay").acquire();
    lb.apply(Samples.config(Set.of()));
    assertThat(lb.open()).containsExactly(E1);

    update(Samples.eds("pay", E2));

    assertThat(lb.open()).containsExactly(E2);
  }

  @Test
  void itIsInUseWhileACallHoldsAnyOfItsClusters() {
    lb.apply(Samples.config(Set.of("a", "b"), Samples.eds("a", E1), Samples.eds("b", E2)));
    lb.loop().inside(() -> assertThat(manager.isInUse()).isFalse());

    lb.handle("b").acquire();
    lb.loop().inside(() -> assertThat(manager.isInUse()).isTrue());
    lb.handle("b").release();

    lb.loop().inside(() -> assertThat(manager.isInUse()).isFalse());
  }

  @Test
  void itShowsItsClusters() {
    lb.apply(Samples.config(Set.of("a", "b"), Samples.eds("a", E1), Samples.eds("b", E2)));

    lb.loop()
        .inside(
            () -> {
              assertThat(manager.handles()).containsExactly(lb.handle("a"), lb.handle("b"));
              assertThat(manager.describe("b").map(LbNode::name)).contains("b");
              assertThat(manager.describe("c")).isEmpty();
            });
  }

  @Conformance("A121-01")
  @Test
  void callsThatWaitAreToldInWhichPriorityWhereThatIsWanted() {
    var named = LbScript.withPrioritiesNamed();
    named.apply(Samples.config(Set.of("pay"), Samples.eds("pay", E1)));

    assertThat(((PickResult.Queue) named.pick("pay")).delayType()).isEqualTo("0:connecting");
    assertThat(
            Odds.of(
                named
                    .handle("pay")
                    .picker()
                    .plan(new PlannedTestCall(OptionalLong.empty(), Map.of()))))
        .extracting(Odds::probability)
        .containsExactly(1.0);
  }

  @Test
  void theBreakerOfAClusterThatHasEndedIsGivenBack() {
    lb.apply(Samples.config(Set.of("pay"), Samples.eds("pay", E1)));
    CircuitBreaker used = breakers.acquire("pay", "pay");

    lb.apply(Samples.config(Set.of()));
    breakers.release("pay", "pay");

    assertThat(breakers.acquire("pay", "pay")).isNotSameAs(used);
  }

  @Conformance("A37-05")
  @Test
  void onceClosedItAsksForNoAddresses() {
    lb.apply(Samples.config(Set.of("names"), Samples.dns("names", E1)));
    lb.ready(E1);
    lb.end(E1);
    assertThat(lb.reresolutions()).isEqualTo(1);

    lb.loop().inside(manager::close);
    assertThat(lb.loop().pendingTimers()).isZero();
    lb.advance(Duration.ofMinutes(1));

    assertThat(lb.reresolutions()).isEqualTo(1);
  }

  @Test
  void itLivesOnTheControlLoopAlone() {
    XdsConfig config = Samples.config(Set.of("pay"), Samples.eds("pay", E1));
    lb.apply(config);

    List<ThrowingCallable> calls =
        List.of(
            () -> manager.apply(config),
            () -> manager.update(Map.of()),
            () -> manager.retire(Set.of("pay")),
            manager::live,
            manager::isInUse,
            manager::handles,
            manager::outages,
            () -> LbNode.of(manager::accept),
            () -> manager.count(cluster -> new EndpointTally()),
            () -> manager.describe("pay"),
            manager::close);

    assertThat(calls)
        .allSatisfy(call -> assertThatThrownBy(call).isInstanceOf(IllegalStateException.class));
  }

  private void update(ClusterConfig... clusters) {
    Map<String, Outcome<ClusterConfig>> changed = new HashMap<>();
    for (ClusterConfig cluster : clusters) {
      changed.put(cluster.cluster().name(), Outcome.ok(cluster));
    }
    lb.loop().inside(() -> manager.update(changed));
  }
}
