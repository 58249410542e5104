package io.outrigger.lb.endpoint;

import static io.outrigger.lb.state.Connectivity.CONNECTING;
import static io.outrigger.lb.state.Connectivity.IDLE;
import static io.outrigger.lb.state.Connectivity.READY;
import static io.outrigger.lb.state.Connectivity.TRANSIENT_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.PlannedCall;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.config.LocalityWeights;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Odds;
import io.outrigger.lb.testing.PlannedTestCall;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.ScriptedRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class PickFirstPolicyTest {
  private static final String E1 = "10.0.0.1:80";
  private static final String E2 = "10.0.0.2:80";
  private static final String E3 = "10.0.0.3:80";
  private static final FailureNote NOTE = new FailureNote("pay", Samples.NOTE);

  private static final PlannedCall PLANNED = new PlannedTestCall(OptionalLong.empty(), Map.of());

  private final FakeParent parent = new FakeParent();
  private final LbPolicy policy =
      new PickFirstPolicy(
          parent.context(1),
          new LbConfig.Leaf(
              new BalancingPolicy.PickFirst(false), List.of(), LocalityWeights.EQUAL, NOTE, ""),
          parent);

  @Conformance("A37-02")
  @Test
  void onlyTheFirstAddressThatConnectsIsUsed() {
    update(E1, E2, E3);
    assertThat(parent.state()).isEqualTo(CONNECTING);
    assertThat(parent.connector().open()).containsExactly(E1);

    parent.ready(E1);

    assertThat(parent.state()).isEqualTo(READY);
    assertThat(parent.shares(10)).isEqualTo(Map.of(E1, 10));
    assertThat(parent.connector().open()).containsExactly(E1);
  }

  @Test
  void aFailedAddressIsFollowedByTheNextAtOnce() {
    update(E1, E2);

    parent.end(E1);
    parent.ready(E2);

    assertThat(parent.states()).containsExactly(CONNECTING, READY);
    assertThat(parent.picked()).isEqualTo(E2);
  }

  @Conformance("A61-02")
  @Test
  void theNextAddressIsTriedAfterAQuarterOfASecondAndTheFirstToConnectWins() {
    update(E1, E2, E3);
    parent.advance(Duration.ofMillis(249));
    assertThat(parent.connector().open()).containsExactly(E1);
    parent.advance(Duration.ofMillis(1));
    assertThat(parent.connector().open()).containsExactly(E1, E2);

    parent.ready(E2);
    parent.advance(Duration.ofSeconds(5));

    assertThat(parent.picked()).isEqualTo(E2);
    assertThat(parent.connector().open()).containsExactly(E2);
    assertThat(parent.connector().count(E3)).isZero();
  }

  @Test
  void addressFamiliesAlternateBeginningWithThatOfTheFirstAddress() {
    update("[2001:db8::1]:80", "[2001:db8::2]:80", E1, E2);

    parent.advance(Duration.ofSeconds(1));

    assertThat(parent.connector().open())
        .containsExactly("[2001:db8::1]:80", E1, "[2001:db8::2]:80", E2);
  }

  @Conformance({"A62-04", "A61-03"})
  @Test
  void failureIsReportedOnceAllHaveFailedAndStaysUntilReady() {
    update(E1, E2);
    parent.end(E1, E2);
    assertThat(parent.state()).isEqualTo(TRANSIENT_FAILURE);
    assertThat(parent.reresolutions()).isEqualTo(1);

    for (int i = 0; i < 5; i++) {
      parent.advance(Duration.ofSeconds(130));
      assertThat(parent.connector().open()).containsExactlyInAnyOrder(E1, E2);
      parent.end(E1, E2);
    }
    assertThat(parent.states()).doesNotContain(IDLE, READY);
    assertThat(parent.states().subList(1, parent.states().size())).containsOnly(TRANSIENT_FAILURE);
    parent.advance(Duration.ofSeconds(130));
    parent.ready(E2);

    assertThat(parent.state()).isEqualTo(READY);
    assertThat(parent.connector().open()).containsExactly(E2);
  }

  @Conformance("A61-03")
  @Test
  void eachAddressHasItsOwnBackOff() {
    update(E1, E2);
    parent.end(E1);
    parent.advance(Duration.ofSeconds(3));
    parent.end(E2);

    assertThat(parent.connector().open()).contains(E1);
  }

  @Conformance("A88-24")
  @Test
  void aFailureNamesTheClusterTheLastErrorAndTheNote() {
    update(E1);

    parent.end(E1);

    assertThat(parent.failure())
        .isEqualTo(
            "cluster \"pay\": no address can be reached; last error: 10.0.0.1:80: refused; "
                + Samples.NOTE);
  }

  @Conformance("A62-02")
  @Test
  void aLostConnectionIsMadeAgainWhenACallAsks() {
    update(E1, E2);
    parent.ready(E1);

    parent.end(E1);
    assertThat(parent.state()).isEqualTo(IDLE);
    parent.advance(Duration.ofMinutes(1));
    assertThat(parent.connector().open()).isEmpty();
    assertThat(parent.pick()).isInstanceOf(PickResult.Queue.class);
    assertThat(parent.connector().open()).containsExactly(E1);
    parent.ready(E1);

    assertThat(parent.picked()).isEqualTo(E1);
  }

  /** A61: besides the one at the end of the pass, one for as many failures as addresses. */
  @Conformance({"A37-05", "A61-03"})
  @Test
  void freshAddressesAreAskedForEachTimeAsManyFailedAsThereAre() {
    update(E1, E2);
    parent.end(E1, E2);
    List<Integer> asked = new ArrayList<>();

    for (int i = 0; i < 4; i++) {
      while (parent.connector().open().isEmpty()) {
        parent.advance(Duration.ofSeconds(1)); // the back-off of one of them elapses
      }
      parent.end(parent.connector().open().get(0));
      asked.add(parent.reresolutions());
    }

    assertThat(asked).containsExactly(1, 2, 2, 3);
  }

  @Conformance("A37-05")
  @Test
  void aLostConnectionAsksForFreshAddresses() {
    update(E1);
    parent.ready(E1);

    parent.end(E1);

    assertThat(parent.reresolutions()).isEqualTo(1);
  }

  @Conformance({"A61-04", "A37-06"})
  @Test
  void aConnectedAddressThatIsInTheNewListKeepsItsConnection() {
    update(E1, E2);
    parent.ready(E1);

    update(E3, E1);

    assertThat(parent.state()).isEqualTo(READY);
    assertThat(parent.picked()).isEqualTo(E1);
    assertThat(parent.connector().count()).isEqualTo(1);
    assertThat(parent.connector().last(E1).isGivenUp()).isFalse();
  }

  @Test
  void aConnectedAddressThatIsNoLongerThereIsGivenUp() {
    update(E1);
    parent.ready(E1);

    update(E2);

    assertThat(parent.state()).isEqualTo(CONNECTING);
    assertThat(parent.connector().open()).containsExactly(E2);
  }

  @Conformance("A62-03")
  @Test
  void anEmptyListFailsAndDropsTheConnection() {
    update(E1);
    parent.ready(E1);

    update();

    assertThat(parent.state()).isEqualTo(TRANSIENT_FAILURE);
    assertThat(parent.failure()).contains("there are no endpoints").endsWith(Samples.NOTE);
    assertThat(parent.connector().open()).isEmpty();

    update(E1);
    assertThat(parent.state()).isEqualTo(CONNECTING);
  }

  @Test
  void aNewListInMidPassStartsAtItsBeginning() {
    update(E1, E2, E3);
    parent.advance(Duration.ofMillis(250));

    update(E3, E2);
    assertThat(parent.connector().last(E1).isGivenUp()).isTrue();
    parent.end(E2, E3);

    assertThat(parent.state()).isEqualTo(TRANSIENT_FAILURE);
    assertThat(parent.connector().count(E3)).isEqualTo(1);
  }

  @Test
  void failureOutlivesANewListUntilReady() {
    update(E1);
    parent.end(E1);

    update(E2);
    assertThat(parent.state()).isEqualTo(TRANSIENT_FAILURE);
    parent.ready(E2);

    assertThat(parent.state()).isEqualTo(READY);
  }

  @Conformance("A62-01") // A113
  @Test
  void shufflingPutsHeavierEndpointsFirstMoreOften() {
    var random = new ScriptedRandom(3);
    List<Backend> backends = List.of(weighted(E1, 1), weighted(E2, 3));
    Map<String, Integer> first = new HashMap<>();

    for (int i = 0; i < 4000; i++) {
      List<Backend> shuffled = PickFirstPolicy.shuffled(backends, LocalityWeights.EQUAL, random);
      assertThat(shuffled).containsExactlyInAnyOrderElementsOf(backends);
      first.merge(shuffled.get(0).endpoint().address().toString(), 1, Integer::sum);
    }

    assertThat(first.get(E2)).isBetween(2880, 3120);
  }

  /** The lowest draw has a logarithm like any other. */
  @Conformance("A62-01")
  @Test
  void ofEqualDrawsTheHeavierEndpointIsTheFirst() {
    parent.random().next(Purpose.SHUFFLE, 0, 0);

    List<Backend> backends = List.of(weighted(E1, 1), weighted(E2, 3));

    assertThat(PickFirstPolicy.shuffled(backends, LocalityWeights.EQUAL, parent.random()))
        .containsExactly(weighted(E2, 3), weighted(E1, 1));
  }

  @Conformance("A62-01")
  @Test
  void aShuffledListIsTriedInItsOwnOrder() {
    long late = 1;
    long early = (1L << 52) - 1;
    parent.random().next(Purpose.SHUFFLE, late, early);

    parent
        .loop()
        .inside(
            () ->
                policy.update(
                    new LbConfig.Leaf(
                        new BalancingPolicy.PickFirst(true),
                        Samples.backends(E1, E2),
                        LocalityWeights.EQUAL,
                        NOTE,
                        "")));

    assertThat(parent.connector().open()).containsExactly(E2);
  }

  @Test
  void viewsAndCountsKnowEveryAddress() {
    update(E1, E2);
    parent.ready(E1);

    assertThat(Samples.describe(policy, "pay").endpoints())
        .extracting(LbEndpoint::state)
        .containsExactly(READY, IDLE);
    var tally = new EndpointTally();
    policy.accept(tally, "pay", true);
    assertThat(tally.of(READY)).isEqualTo(1);
    assertThat(tally.of(IDLE)).isEqualTo(1);
  }

  @Test
  void aPlanWakesNobody() {
    update(E1);
    parent.ready(E1);
    parent.end(E1);

    List<Odds> odds = Odds.of(parent.picker().plan(PLANNED));
    parent.loop().run();

    assertThat(odds).hasSize(1);
    assertThat(odds.get(0).result()).isInstanceOf(PickResult.Queue.class);
    assertThat(parent.connector().open()).isEmpty();
    assertThat(parent.pick()).isEqualTo(odds.get(0).result());
  }

  @Test
  void closingLeavesNothing() {
    update(E1, E2);
    int published = parent.states().size();

    parent.loop().inside(policy::close);

    assertThat(parent.connector().open()).isEmpty();
    assertThat(parent.loop().pendingTimers()).isZero();
    assertThat(parent.states()).hasSize(published);
  }

  private static Backend weighted(String address, long weight) {
    return new Backend(Samples.endpoint(address, weight), Samples.locality("z"), 0);
  }

  private void update(String... addresses) {
    parent
        .loop()
        .inside(
            () ->
                policy.update(
                    new LbConfig.Leaf(
                        new BalancingPolicy.PickFirst(false),
                        Samples.backends(addresses),
                        LocalityWeights.EQUAL,
                        NOTE,
                        "")));
  }
}
