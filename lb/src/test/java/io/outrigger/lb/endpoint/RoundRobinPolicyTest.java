package io.outrigger.lb.endpoint;

import static io.outrigger.lb.state.Connectivity.CONNECTING;
import static io.outrigger.lb.state.Connectivity.READY;
import static io.outrigger.lb.state.Connectivity.TRANSIENT_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.config.LocalityWeights;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RoundRobinPolicyTest {
  private static final String E1 = "10.0.0.1:80";
  private static final String E2 = "10.0.0.2:80";
  private static final String E3 = "10.0.0.3:80";
  private static final FailureNote NOTE = new FailureNote("pay", Samples.NOTE);

  private final FakeParent parent = new FakeParent();
  private final LbPolicy policy =
      new RoundRobinPolicy(
          parent.context(2),
          new LbConfig.Leaf(
              new BalancingPolicy.RoundRobin(), List.of(), LocalityWeights.EQUAL, NOTE, ""),
          parent);

  @Test
  void everyEndpointIsConnectedAndTakesItsTurn() {
    update(E1, E2, E3);
    assertThat(parent.connector().open()).containsExactly(E1, E2, E3);

    parent.ready(E1, E2, E3);

    assertThat(parent.shares(30)).isEqualTo(Map.of(E1, 10, E2, 10, E3, 10));
  }

  @Test
  void theFirstTurnIsRandomAndEachLoopHasItsOwn() {
    update(E1, E2, E3);
    parent.random().next(Purpose.START_INDEX, 0, 0, 2);
    parent.ready(E1, E2, E3);

    assertThat(List.of(parent.picked(), parent.picked(), parent.picked(), parent.picked()))
        .containsExactly(E3, E1, E2, E3);
    assertThat(parent.picked()).isEqualTo(E1);
    assertThat(parent.picked(new TestCall(1))).isEqualTo(E1);
  }

  @Test
  void onlyReadyEndpointsTakeTurns() {
    update(E1, E2, E3);

    parent.ready(E2);
    assertThat(parent.shares(4)).isEqualTo(Map.of(E2, 4));
    parent.end(E1);
    parent.ready(E3);

    assertThat(parent.shares(4)).isEqualTo(Map.of(E2, 2, E3, 2));
  }

  @Test
  void aLostConnectionIsMadeAgainAtOnce() {
    update(E1);
    parent.ready(E1);

    parent.end(E1);

    assertThat(parent.state()).isEqualTo(CONNECTING);
    assertThat(parent.connector().count(E1)).isEqualTo(2);
    assertThat(parent.connector().open()).containsExactly(E1);
  }

  @Conformance("A88-24")
  @Test
  void itFailsOnceAllHaveFailedWithTheLastErrorAndTheNote() {
    update(E1, E2);

    parent.end(E1);
    assertThat(parent.state()).isEqualTo(CONNECTING);
    assertThat(parent.pick()).isInstanceOf(PickResult.Queue.class);
    parent.end(E2);

    assertThat(parent.state()).isEqualTo(TRANSIENT_FAILURE);
    assertThat(parent.failure())
        .isEqualTo(
            "cluster \"pay\": no endpoint can be reached; last error: 10.0.0.2:80: refused; "
                + Samples.NOTE);
  }

  @Test
  void theErrorIsThatOfWhoeverFailedLast() {
    update(E1, E2);
    parent.end(E2, E1);
    assertThat(parent.failure()).contains("last error: 10.0.0.1:80: refused");

    parent.advance(Duration.ofSeconds(2));
    parent.end(E1, E2);

    assertThat(parent.failure()).contains("last error: 10.0.0.2:80: refused");
  }

  @Test
  void theErrorOfARemovedEndpointIsForgotten() {
    update(E1, E2);
    parent.end(E1, E2);

    update(E1);

    assertThat(parent.failure()).contains("last error: 10.0.0.1:80: refused");
  }

  @Test
  void failureStaysWhileReconnectingUntilOneIsReady() {
    update(E1, E2);
    parent.end(E1, E2);
    int before = parent.states().size();

    parent.advance(Duration.ofSeconds(2));
    assertThat(parent.connector().open()).containsExactly(E1, E2);
    assertThat(parent.states().subList(before - 1, parent.states().size()))
        .containsOnly(TRANSIENT_FAILURE);
    parent.ready(E1);

    assertThat(parent.state()).isEqualTo(READY);
  }

  @Conformance("A61-05")
  @Test
  void endpointsAreCountedNotAddresses() {
    Backend both = Samples.backend(E1, E2);
    apply(List.of(both, Samples.backend(E3)));
    assertThat(parent.connector().open()).containsExactly(E1, E3);

    parent.end(E1);
    parent.ready(E2, E3);

    assertThat(parent.shares(10)).isEqualTo(Map.of(E2, 5, E3, 5));
  }

  @Conformance("A61-01")
  @Test
  void furtherAddressesOfAnEndpointRaceStaggeredWithFamiliesInTurn() {
    apply(List.of(Samples.backend(E1, E2, "[2001:db8::1]:80"), Samples.backend(E3)));
    parent.ready(E3);

    parent.advance(Duration.ofMillis(249));
    assertThat(parent.connector().open()).containsExactly(E1, E3);
    parent.advance(Duration.ofMillis(1));
    assertThat(parent.connector().open()).containsExactly(E1, E3, "[2001:db8::1]:80");
    parent.advance(Duration.ofMillis(250));
    assertThat(parent.connector().open()).containsExactly(E1, E3, "[2001:db8::1]:80", E2);
    parent.ready("[2001:db8::1]:80");

    assertThat(parent.connector().open()).containsExactly(E3, "[2001:db8::1]:80");
  }

  @Test
  void theOrderOfAnEndpointsAddressesDoesNotMakeItAnother() {
    apply(List.of(Samples.backend(E1, E2)));
    parent.ready(E1);

    apply(List.of(Samples.backend(E2, E1)));

    assertThat(parent.subchannels()).isEqualTo(1);
    assertThat(parent.picked()).isEqualTo(E1);
  }

  @Test
  void anEndpointFailsOnlyWithItsLastAddress() {
    apply(List.of(Samples.backend(E1, E2)));

    parent.end(E1);
    assertThat(parent.state()).isEqualTo(CONNECTING);
    parent.end(E2);

    assertThat(parent.state()).isEqualTo(TRANSIENT_FAILURE);
  }

  @Test
  void anUpdateTouchesOnlyWhatItChanges() {
    List<String> addresses = new ArrayList<>(addresses(10_000));
    update(addresses.toArray(String[]::new));
    parent.loop().inside(parent.connector()::readyAll);
    int attempts = parent.connector().count();

    addresses.add("10.9.9.9:80");
    addresses.remove(0);
    update(addresses.toArray(String[]::new));

    assertThat(parent.subchannels()).isEqualTo(10_001);
    assertThat(parent.connector().count()).isEqualTo(attempts + 1);
    assertThat(parent.connector().open()).hasSize(10_000).doesNotContain("10.0.0.0:80");
    assertThat(parent.state()).isEqualTo(READY);
  }

  @Test
  void changesOfOneTurnArePublishedOnce() {
    List<String> addresses = addresses(100);
    update(addresses.toArray(String[]::new));
    int before = parent.states().size();

    parent.loop().inside(parent.connector()::readyAll);

    assertThat(parent.states()).hasSize(before + 1);
    assertThat(parent.shares(100)).hasSize(100);
  }

  @Test
  void aConnectionThatComesAndGoesLeadsToANewPickerThoughTheReadyOnesAreTheSame() {
    update(E1, E2);
    parent.ready(E1, E2);
    Picker before = parent.picker();

    parent
        .loop()
        .inside(
            () -> {
              parent.connector().last(E1).end("reset");
              parent.connector().last(E1).ready();
            });

    assertThat(parent.picker()).isNotSameAs(before);
  }

  @Test
  void anotherWeightOrHealthKeepsTheConnection() {
    update(E1);
    parent.ready(E1);

    apply(
        List.of(
            new Backend(
                new Endpoint(List.of(Samples.address(E1)), HealthStatus.UNKNOWN, 9, ""),
                Samples.locality("z"),
                0)));

    assertThat(parent.connector().count()).isEqualTo(1);
    assertThat(describeWeight()).isEqualTo(9);
  }

  @Test
  void theSameEndpointTwiceIsOne() {
    update(E1, E1, E2);
    parent.ready(E1, E2);

    assertThat(parent.subchannels()).isEqualTo(2);
    assertThat(parent.shares(4)).isEqualTo(Map.of(E1, 2, E2, 2));
  }

  @Test
  void withoutEndpointsItFailsAndDropsConnections() {
    update(E1);
    parent.ready(E1);

    update();

    assertThat(parent.failure()).contains("there are no endpoints").endsWith(Samples.NOTE);
    assertThat(parent.connector().open()).isEmpty();
  }

  @Test
  void pickingAllocatesNothing() {
    update(E1, E2);
    parent.ready(E1, E2);
    Picker picker = parent.picker();

    PickResult first = picker.pick(TestCall.CALL);
    picker.pick(TestCall.CALL);

    assertThat(picker.pick(TestCall.CALL)).isSameAs(first);
  }

  @Test
  void afterClosingNothingIsPublished() {
    update(E1);
    parent.ready(E1);
    int published = parent.states().size();

    parent
        .loop()
        .inside(
            () -> {
              parent.connector().last(E1).end("reset");
              policy.close();
            });

    assertThat(parent.states()).hasSize(published);
    assertThat(parent.connector().open()).isEmpty();
  }

  private long describeWeight() {
    List<Long> weights = new ArrayList<>();
    parent
        .loop()
        .inside(
            () ->
                weights.add(
                    Samples.describe(policy, "rr")
                        .endpoints()
                        .get(0)
                        .backend()
                        .endpoint()
                        .weight()));
    return weights.get(0);
  }

  private static List<String> addresses(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "10.0." + i / 250 + "." + i % 250 + ":80")
        .toList();
  }

  private void update(String... addresses) {
    apply(Samples.backends(addresses));
  }

  private void apply(List<Backend> backends) {
    parent
        .loop()
        .inside(
            () ->
                policy.update(
                    new LbConfig.Leaf(
                        new BalancingPolicy.RoundRobin(),
                        backends,
                        LocalityWeights.EQUAL,
                        NOTE,
                        "")));
  }
}
