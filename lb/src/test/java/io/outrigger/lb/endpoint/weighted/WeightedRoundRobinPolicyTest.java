package io.outrigger.lb.endpoint.weighted;

import static io.outrigger.lb.state.Connectivity.TRANSIENT_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.cluster.BalancingPolicy.WeightedRoundRobin;
import io.outrigger.lb.BackendMetrics;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.config.LocalityWeights;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Odds;
import io.outrigger.lb.testing.PlannedTestCall;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.LbObserver;
import io.outrigger.lb.view.LbObserver.WeightUpdate;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class WeightedRoundRobinPolicyTest {
  private static final String E1 = "10.0.0.1:80";
  private static final String E2 = "10.0.0.2:80";
  private static final String E3 = "10.0.0.3:80";
  private static final FailureNote NOTE = new FailureNote("pay", Samples.NOTE);
  private static final Duration BLACKOUT = WeightedRoundRobin.DEFAULT_BLACKOUT;

  private final FakeParent parent = new FakeParent();
  private final List<WeightUpdate> updates = new ArrayList<>();
  private final LbPolicy policy =
      new WeightedRoundRobinPolicy(
          parent.context(
              new LbObserver() {
                @Override
                public void onEvent(LbEvent event) {}

                @Override
                public void onWeights(WeightUpdate update) {
                  updates.add(update);
                }
              },
              2),
          new LbConfig.Leaf(settings(false), List.of(), LocalityWeights.EQUAL, NOTE, ""),
          parent);

  @Conformance("A58-03")
  @Test
  void withoutReportsItIsRoundRobin() {
    update(E1, E2, E3);
    parent.ready(E1, E2, E3);

    assertThat(parent.shares(30)).isEqualTo(Map.of(E1, 10, E2, 10, E3, 10));
  }

  @Conformance({"A58-02", "A58-05"})
  @Test
  void turnsFollowTheReportsOfCalls() {
    update(E1, E2);
    parent.ready(E1, E2);

    reportAll(Map.of(E1, 100.0, E2, 300.0));
    parent.advance(BLACKOUT);

    assertThat(parent.shares(4000).get(E1)).isBetween(995, 1005);
  }

  /** The shares alone would not tell: the mean of one weight is that weight. */
  @Conformance({"A58-03", "A78-02"})
  @Test
  void oneWeightIsNone() {
    update(E1, E2);
    parent.ready(E1, E2);

    reportAll(Map.of(E1, 100.0));
    parent.advance(BLACKOUT);

    assertThat(parent.shares(100)).isEqualTo(Map.of(E1, 50, E2, 50));
    WeightUpdate update = updates.get(updates.size() - 1);
    assertThat(update.isFallback()).isTrue();
    assertThat(update.notYetUsable()).isEqualTo(1);
    assertThat(Arrays.stream(update.weights()).filter(weight -> weight > 0)).hasSize(1);
  }

  @Conformance("A58-03")
  @Test
  void endpointsWithoutAWeightCountForTheMean() {
    update(E1, E2, E3);
    parent.ready(E1, E2, E3);

    reportAll(Map.of(E1, 100.0, E2, 300.0));
    parent.advance(BLACKOUT);

    Map<String, Integer> shares = parent.shares(6000);
    assertThat(shares.get(E1)).isBetween(990, 1010);
    assertThat(shares.get(E3)).isBetween(1990, 2010);
  }

  @Conformance("A78-02")
  @Test
  void eachUpdateSaysHowManyWeightsThereAreAndWhyNotMore() {
    update(E1, E2, E3);
    parent.ready(E1, E2, E3);
    assertThat(updates.get(updates.size() - 1))
        .usingRecursiveComparison()
        .isEqualTo(new WeightUpdate("pay", "", true, 3, 0, new double[3]));

    reportAll(Map.of(E1, 100.0, E2, 300.0));
    parent.advance(BLACKOUT);
    WeightUpdate mixed = updates.get(updates.size() - 1);
    assertThat(mixed.isFallback()).isFalse();
    assertThat(mixed.notYetUsable()).isEqualTo(1);
    assertThat(mixed.stale()).isZero();
    assertThat(Arrays.stream(mixed.weights()).filter(weight -> weight > 0)).hasSize(2);

    parent.advance(WeightedRoundRobin.DEFAULT_EXPIRATION);
    assertThat(updates.get(updates.size() - 1))
        .usingRecursiveComparison()
        .isEqualTo(new WeightUpdate("pay", "", true, 1, 2, new double[3]));
    int before = updates.size();
    parent.advance(WeightedRoundRobin.DEFAULT_UPDATE_PERIOD);
    assertThat(updates).hasSize(before + 1);
  }

  @Conformance("A58-01")
  @Test
  void weightsComeIntoForceOncePerUpdatePeriod() {
    update(E1, E2);
    parent.ready(E1, E2);
    reportAll(Map.of(E1, 100.0, E2, 300.0));
    parent.advance(BLACKOUT);
    Picker before = parent.picker();

    reportAll(Map.of(E1, 300.0, E2, 100.0));
    parent.advance(Duration.ofMillis(999));
    assertThat(parent.picker()).isSameAs(before);
    parent.advance(Duration.ofMillis(1));

    assertThat(parent.shares(4000).get(E1)).isBetween(2990, 3010);
  }

  @Conformance("A58-01")
  @Test
  void aShorterUpdatePeriodIsInForceAtOnce() {
    apply(settings(false, Duration.ofHours(1)), E1, E2);
    parent.ready(E1, E2);
    reportAll(Map.of(E1, 100.0, E2, 300.0));
    parent.advance(BLACKOUT);
    update(E1, E2);

    reportAll(Map.of(E1, 300.0, E2, 100.0));
    parent.advance(WeightedRoundRobin.DEFAULT_UPDATE_PERIOD);

    assertThat(parent.shares(4000).get(E1)).isBetween(2990, 3010);
  }

  @Conformance("A58-04")
  @Test
  void anEndpointThatReconnectsCountsForTheMeanUntilItHasProvedItself() {
    update(E1, E2, E3);
    parent.ready(E1, E2, E3);
    reportAll(Map.of(E1, 100.0, E2, 100.0, E3, 400.0));
    parent.advance(BLACKOUT);
    assertThat(parent.shares(600).get(E3)).isBetween(395, 405);

    parent.end(E3);
    parent.ready(E3);

    assertThat(parent.shares(600).get(E3)).isBetween(195, 205);
  }

  /** A call that ends late says nothing of the new connection. */
  @Conformance("A58-04")
  @Test
  void aReportOfTheLastConnectionDoesNotCountForTheNext() {
    update(E1, E2, E3);
    parent.ready(E1, E2, E3);
    reportAll(Map.of(E1, 100.0, E2, 100.0, E3, 400.0));
    Subchannel last = use();
    while (!last.address().equals(Samples.address(E3))) {
      last = use();
    }

    parent.end(E3);
    report(last, 400);
    parent.ready(E3);
    parent.advance(BLACKOUT);

    assertThat(parent.shares(600).get(E3)).isBetween(195, 205);
  }

  @Conformance("A58-04")
  @Test
  void withoutFurtherReportsWeightsExpire() {
    update(E1, E2);
    parent.ready(E1, E2);
    reportAll(Map.of(E1, 100.0, E2, 300.0));

    parent.advance(WeightedRoundRobin.DEFAULT_EXPIRATION);

    assertThat(parent.shares(100)).isEqualTo(Map.of(E1, 50, E2, 50));
  }

  @Test
  void liesGiveNoWeight() {
    update(E1, E2);
    parent.ready(E1, E2);
    reportAll(Map.of(E1, -1.0, E2, Double.NaN));
    parent.advance(BLACKOUT);

    assertThat(describe().detail()).isEqualTo("0 of 2 READY endpoints have a usable weight");
  }

  @Conformance("A58-05")
  @Test
  void reportsOfCallsAreNotWantedWhileOthersAreAskedFor() {
    apply(true, E1, E2);
    parent.ready(E1, E2);
    assertThat(use().wantsBackendMetrics()).isFalse();

    apply(false, E1, E2);
    assertThat(use().wantsBackendMetrics()).isTrue();
    assertThat(parent.connector().count()).as("connections stay").isEqualTo(2);
  }

  @Test
  void newWeightsDoNotBeginANewRound() {
    update(E1, E2, E3);
    parent.ready(E1, E2, E3);
    List<String> picked = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      picked.add(parent.picked());
      parent.advance(Duration.ofSeconds(1));
    }

    assertThat(picked).as("one call between updates").containsOnly(E1, E2, E3);
    assertThat(picked.stream().filter(E1::equals)).hasSize(10);
  }

  @Test
  void eachLoopBeginsAtATurnOfItsOwn() {
    update(E1, E2, E3);
    parent.random().next(Purpose.START_INDEX, 1);
    parent.loop().inside(parent.connector()::readyAll);

    assertThat(List.of(parent.picked(new TestCall(1)), parent.picked(new TestCall(1))))
        .containsExactly(E3, E1);
    assertThat(parent.picked(new TestCall(0))).isEqualTo(E2);
  }

  @Test
  void aPlanHasTheSharesOfTheTurns() {
    update(E1, E2);
    parent.ready(E1, E2);
    reportAll(Map.of(E1, 100.0, E2, 300.0));
    parent.advance(BLACKOUT);

    Map<String, Double> shares = new HashMap<>();
    Odds.of(parent.picker().plan(new PlannedTestCall(OptionalLong.empty(), Map.of())))
        .forEach(
            odds ->
                shares.put(
                    ((PickResult.Use) odds.result()).subchannel().address().toString(),
                    odds.probability()));

    assertThat(shares).hasSize(2);
    assertThat(shares.get(E1)).isCloseTo(0.25, offset(0.001));
    assertThat(shares.get(E2)).isCloseTo(0.75, offset(0.001));
  }

  @Test
  void theStatusShowsTheSettings() {
    update(E1);

    assertThat(describe().config())
        .containsEntry("enable_oob_load_report", false)
        .containsEntry("blackout_period", "PT10S")
        .containsEntry("error_utilization_penalty", 1.0);
  }

  @Test
  void statesAreThoseOfRoundRobinAndClosingLeavesNothing() {
    update(E1);
    parent.end(E1);
    assertThat(parent.state()).isEqualTo(TRANSIENT_FAILURE);
    parent.advance(Duration.ofSeconds(2));
    parent.ready(E1);

    parent.loop().inside(policy::close);

    assertThat(parent.loop().pendingTimers()).isZero();
    assertThat(parent.connector().open()).isEmpty();
  }

  @Test
  void pickingAllocatesNothing() {
    update(E1);
    parent.ready(E1);

    assertThat(parent.picker().pick(TestCall.CALL)).isSameAs(parent.picker().pick(TestCall.CALL));
  }

  /** Every endpoint reports the weight that is given for it, with a call. */
  private void reportAll(Map<String, Double> weights) {
    List<String> left = new ArrayList<>(weights.keySet());
    while (!left.isEmpty()) {
      Subchannel subchannel = use();
      String address = subchannel.address().toString();
      if (left.remove(address)) {
        assertThat(subchannel.wantsBackendMetrics()).isTrue();
        report(subchannel, weights.get(address));
      }
    }
  }

  private static void report(Subchannel subchannel, double weight) {
    subchannel.onBackendMetrics(
        TestCall.CALL, new BackendMetrics(1, 0, 0, weight, 0, Map.of(), Map.of()));
  }

  private Subchannel use() {
    return ((PickResult.Use) parent.picker().pick(TestCall.CALL)).subchannel();
  }

  private LbNode describe() {
    List<LbNode> nodes = new ArrayList<>();
    parent.loop().inside(() -> nodes.add(Samples.describe(policy, "z")));
    return nodes.get(0);
  }

  private void update(String... addresses) {
    apply(false, addresses);
  }

  private void apply(boolean oob, String... addresses) {
    apply(settings(oob), addresses);
  }

  private void apply(WeightedRoundRobin settings, String... addresses) {
    var config =
        new LbConfig.Leaf(settings, Samples.backends(addresses), LocalityWeights.EQUAL, NOTE, "");
    parent.loop().inside(() -> policy.update(config));
  }

  private static WeightedRoundRobin settings(boolean oob) {
    return settings(oob, WeightedRoundRobin.DEFAULT_UPDATE_PERIOD);
  }

  private static WeightedRoundRobin settings(boolean oob, Duration updatePeriod) {
    return new WeightedRoundRobin(
        oob,
        WeightedRoundRobin.DEFAULT_OOB_PERIOD,
        WeightedRoundRobin.DEFAULT_BLACKOUT,
        WeightedRoundRobin.DEFAULT_EXPIRATION,
        updatePeriod,
        WeightedRoundRobin.DEFAULT_ERROR_PENALTY,
        List.of());
  }
}
