package io.outrigger.lb.endpoint;

import static io.outrigger.lb.state.Connectivity.CONNECTING;
import static io.outrigger.lb.state.Connectivity.READY;
import static io.outrigger.lb.state.Connectivity.TRANSIENT_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.config.LocalityWeights;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.testing.Conformance;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LeastRequestPolicyTest {
  private static final String E1 = "10.0.0.1:80";
  private static final String E2 = "10.0.0.2:80";
  private static final String E3 = "10.0.0.3:80";
  private static final FailureNote NOTE = new FailureNote("pay", Samples.NOTE);

  private final FakeParent parent = new FakeParent();
  private final LbPolicy policy =
      new LeastRequestPolicy(
          parent.context(1),
          new LbConfig.Leaf(
              new BalancingPolicy.LeastRequest(2), List.of(), LocalityWeights.EQUAL, NOTE, ""),
          parent);

  @Conformance("A48-01")
  @Test
  void theLeastBusyOfThoseDrawnIsTaken() {
    update(2, E1, E2, E3);
    parent.ready(E1, E2, E3);
    Subchannel busy = start(0, 0);
    assertThat(busy.address()).hasToString(E1);

    assertThat(start(0, 2).address()).hasToString(E3);
    assertThat(start(2, 0).address()).as("of equals the first").hasToString(E3);
    assertThat(start(0, 2).address()).hasToString(E1);
    assertThat(start(0, 1).address()).hasToString(E2);
  }

  @Conformance("A48-01")
  @Test
  void asManyAreDrawnAsConfigured() {
    update(3, E1, E2, E3);
    parent.ready(E1, E2, E3);
    start(0, 0, 0);
    start(1, 1, 1);

    assertThat(start(0, 1, 2).address()).hasToString(E3);
  }

  /** Drawn with replacement: the idle one is missed by a quarter of the calls. */
  @Conformance("A48-02")
  @Test
  void aBusyBackendLosesMostNewCallsToAnIdleOne() {
    update(2, E1, E2);
    parent.ready(E1, E2);
    for (int i = 0; i < 50; i++) {
      start(0, 0);
    }

    Map<String, Integer> shares = sharesOfShortCalls(4_000);

    assertThat(shares.get(E2)).isBetween(2_880, 3_120);
  }

  @Conformance("A48-03")
  @Test
  void aCallCountsUntilItEndsInWhateverWay() {
    update(2, E1, E2);
    parent.ready(E1, E2);

    for (CallOutcome outcome : CallOutcome.values()) {
      for (int i = 0; i < 10_000; i++) {
        start(0, 0).callEnded(TestCall.CALL, outcome);
      }
    }
    start(1, 1);

    assertThat(start(1, 0).address()).as("nothing of the first is left").hasToString(E1);
  }

  @Conformance("A48-03")
  @Test
  void anEndpointCountsOverAllItsAddressesAndThroughUpdates() {
    apply(2, List.of(Samples.backend(E1, E3), Samples.backend(E2)));
    parent.ready(E1, E2);
    start(0, 0);
    parent.end(E1);
    parent.end(E1);
    parent.ready(E3);
    apply(2, List.of(Samples.backend(E3, E1), Samples.backend(E2)));

    assertThat(start(1, 0).address()).as("one is in flight at the first").hasToString(E2);
    assertThat(start(0, 1).address()).as("now at both: the one drawn first").hasToString(E3);
  }

  @Conformance("A48-04")
  @Test
  void onlyReadyEndpointsAreDrawnAndStatesAreThoseOfRoundRobin() {
    update(2, E1, E2);
    assertThat(parent.connector().open()).containsExactly(E1, E2);
    assertThat(parent.state()).isEqualTo(CONNECTING);

    parent.ready(E2);
    assertThat(parent.state()).isEqualTo(READY);
    assertThat(sharesOfShortCalls(100)).isEqualTo(Map.of(E2, 100));
    parent.end(E1);
    parent.end(E2);
    assertThat(parent.connector().count(E2)).as("connected again at once").isEqualTo(2);
    parent.end(E2);

    assertThat(parent.state()).isEqualTo(TRANSIENT_FAILURE);
    assertThat(parent.failure()).contains("last error: 10.0.0.2:80: refused");
  }

  @Conformance("A48-04")
  @Test
  void weightsDoNotMatter() {
    var heavy = new Backend(Samples.endpoint(E1, 1_000), Samples.locality("z"), 0);
    apply(2, List.of(heavy, Samples.backend(E2)));
    parent.ready(E1, E2);

    assertThat(sharesOfShortCalls(4_000).get(E1)).isBetween(1_850, 2_150);
  }

  @Test
  void theStatusShowsHowManyAreDrawn() {
    update(3, E1);

    assertThat(Samples.describe(policy, "pay").config()).isEqualTo(Map.of("choice_count", 3));
  }

  /** Starts a call for which these are drawn. */
  private Subchannel start(long... drawn) {
    parent.random().next(Purpose.LEAST_REQUEST, drawn);
    return startAny();
  }

  private Subchannel startAny() {
    var use = (PickResult.Use) parent.picker().pick(TestCall.CALL);
    use.subchannel().callStarted(TestCall.CALL);
    return use.subchannel();
  }

  private Map<String, Integer> sharesOfShortCalls(int calls) {
    List<String> addresses = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      Subchannel subchannel = startAny();
      addresses.add(subchannel.address().toString());
      subchannel.callEnded(TestCall.CALL, CallOutcome.SUCCESS);
    }
    return addresses.stream()
        .collect(java.util.stream.Collectors.toMap(a -> a, a -> 1, Integer::sum));
  }

  private void update(int choices, String... addresses) {
    apply(choices, Samples.backends(addresses));
  }

  private void apply(int choices, List<Backend> backends) {
    parent
        .loop()
        .inside(
            () ->
                policy.update(
                    new LbConfig.Leaf(
                        new BalancingPolicy.LeastRequest(choices),
                        backends,
                        LocalityWeights.EQUAL,
                        NOTE,
                        "")));
  }
}
