package io.outrigger.lb.endpoint.ring;

import static io.outrigger.lb.state.Connectivity.CONNECTING;
import static io.outrigger.lb.state.Connectivity.IDLE;
import static io.outrigger.lb.state.Connectivity.READY;
import static io.outrigger.lb.state.Connectivity.TRANSIENT_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.Xxh64;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.config.LocalityWeights;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Odds;
import io.outrigger.lb.testing.PlannedTestCall;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.lb.view.LbNode;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RingHashPolicyTest {
  private static final String E1 = "10.0.0.1:80";
  private static final String E2 = "10.0.0.2:80";
  private static final String E3 = "10.0.0.3:80";
  private static final FailureNote NOTE = new FailureNote("pay", Samples.NOTE);

  /** One entry per endpoint: the order on the ring is that of the hashes of {@code key_0}. */
  private static final BalancingPolicy.RingHash SMALL = new BalancingPolicy.RingHash(1, 4096, "");

  private static final BalancingPolicy.RingHash BY_HEADER =
      new BalancingPolicy.RingHash(1, 4096, "x-user");

  private final FakeParent parent = new FakeParent();
  private final LbPolicy policy =
      new RingHashPolicy(
          parent.context(1),
          new LbConfig.Leaf(SMALL, List.of(), LocalityWeights.EQUAL, NOTE, ""),
          parent);

  @Conformance("A42-09")
  @Test
  void onlyTheEndpointThatARequestNeedsIsConnected() {
    update(E1, E2, E3);
    assertThat(parent.connector().open()).isEmpty();
    assertThat(parent.state()).isEqualTo(IDLE);

    assertThat(pick(at(E2))).isInstanceOf(PickResult.Queue.class);
    assertThat(pick(at(E2))).isInstanceOf(PickResult.Queue.class);
    assertThat(parent.connector().open()).containsExactly(E2);
    assertThat(parent.state()).isEqualTo(CONNECTING);
    parent.ready(E2);

    assertThat(parent.picked(at(E2))).isEqualTo(E2);
    assertThat(parent.state()).isEqualTo(READY);
    assertThat(parent.connector().count()).isEqualTo(1);
  }

  @Test
  void theRingIsMadeAnewOnlyWhenWhatItIsMadeOfHasChanged() {
    update(E1, E2);
    Ring ring = ring();

    connect(E1);
    update(E1, E2);
    assertThat(ring()).isSameAs(ring);

    update(E1, E2, E3);
    assertThat(ring()).isNotSameAs(ring);
    assertThat(ring().size()).isEqualTo(3);
  }

  private Ring ring() {
    return ((RingHashPicker) parent.picker()).ring();
  }

  @Conformance("A42-10")
  @Test
  void aTargetThatConnectsOrIdlesIsWaitedForThoughOthersAreReady() {
    update(E1, E2);
    connect(E1);

    assertThat(pick(at(E2))).isInstanceOf(PickResult.Queue.class);
    assertThat(parent.connector().open()).containsExactlyInAnyOrder(E1, E2);
    assertThat(pick(at(E2))).isInstanceOf(PickResult.Queue.class);
    parent.ready(E2);

    assertThat(parent.picked(at(E2))).isEqualTo(E2);
    assertThat(parent.picked(at(E1))).isEqualTo(E1);
  }

  @Conformance("A42-10")
  @Test
  void aFailedTargetYieldsToTheNextOnTheRing() {
    update(E1, E2, E3);
    List<String> order = order(E1, E2, E3);
    connect(order.get(2));
    pick(at(order.get(0)));
    parent.end(order.get(0));

    assertThat(pick(at(order.get(0))))
        .as("the second is connected first")
        .isInstanceOf(PickResult.Queue.class);
    assertThat(parent.connector().open()).contains(order.get(1));
    parent.end(order.get(1));

    assertThat(parent.picked(at(order.get(0)))).isEqualTo(order.get(2));
    assertThat(parent.picked(at(order.get(1)))).isEqualTo(order.get(2));
  }

  @Test
  void thePlanTellsTheSlotOfTheHashAndWhatIsPassedOver() {
    update(E1, E2, E3);
    List<String> order = order(E1, E2, E3);
    connect(order.get(2));
    pick(at(order.get(0)));
    parent.end(order.get(0));
    pick(at(order.get(0)));
    parent.end(order.get(1));

    PickPlan.Hashed passing = plan(order.get(0));
    assertThat(List.of(passing.ringIndex(), passing.skipped(), passing.ringSize()))
        .containsExactly(0, 2, 3);
    assertThat(((PickResult.Use) Odds.of(passing).get(0).result()).subchannel().address())
        .isEqualTo(Samples.address(order.get(2)));

    PickPlan.Hashed direct = plan(order.get(2));
    assertThat(List.of(direct.ringIndex(), direct.skipped())).containsExactly(2, 0);
  }

  @Conformance("A42-10")
  @Test
  void whenAllHaveFailedTheReasonIsThatOfTheTarget() {
    update(E1, E2);
    fail(E1, E2);

    for (String address : List.of(E1, E2)) {
      assertThat(((PickResult.Fail) pick(at(address))).status().message())
          .isEqualTo(
              "cluster \"pay\": no endpoint can be reached; last error: "
                  + address
                  + ": refused; "
                  + Samples.NOTE);
    }
  }

  @Test
  void theReasonOfAnEarlierFailureHasTheNewNote() {
    update(E1);
    fail(E1);
    var discovery = new FailureNote("pay", "EDS is gone");

    parent
        .loop()
        .inside(
            () ->
                policy.update(
                    new LbConfig.Leaf(
                        SMALL, Samples.backends(E1), LocalityWeights.EQUAL, discovery, "")));

    assertThat(((PickResult.Fail) pick(at(E1))).status().message())
        .endsWith(E1 + ": refused; EDS is gone");
  }

  /** A42 "Aggregated Connectivity State", rule by rule. */
  @Conformance("A42-11")
  @Test
  void theStateFollowsTheRules() {
    update(E1, E2, E3, "10.0.0.4:80");
    assertThat(parent.state()).as("rule 5: all IDLE").isEqualTo(IDLE);
    pick(at(E1));
    assertThat(parent.state()).as("rule 3: one CONNECTING").isEqualTo(CONNECTING);
    parent.end(E1);
    assertThat(parent.state()).as("rule 4: one of several failed").isEqualTo(CONNECTING);
    parent.end(parent.connector().open().get(0));
    assertThat(parent.state()).as("rule 2: two failed").isEqualTo(TRANSIENT_FAILURE);
    String third = parent.connector().open().get(0);
    parent.ready(third);
    assertThat(parent.state()).as("rule 1: one READY").isEqualTo(READY);
    parent.end(third);
    assertThat(parent.state()).as("rule 2 again").isEqualTo(TRANSIENT_FAILURE);
  }

  /** Their first addresses are the same, and so are their places on the ring. */
  @Test
  void anEndpointMayShareItsFirstAddressWithAnother() {
    apply(SMALL, List.of(Samples.backend(E1, E2)));

    apply(SMALL, List.of(Samples.backend(E1, E2), Samples.backend(E1, E3)));

    assertThat(ring().size()).isEqualTo(2);
    assertThat(pick(at(E1))).isInstanceOf(PickResult.Queue.class);
    assertThat(parent.connector().open()).containsExactly(E1);
  }

  @Conformance("A42-11")
  @Test
  void twoFailuresAreEnoughThoughAThirdEndpointConnects() {
    update(E1, E2, E3);
    for (String address : List.of(E1, E2, E3)) {
      pick(at(address));
    }

    parent.end(E1);
    assertThat(parent.state()).isEqualTo(CONNECTING);
    parent.end(E2);

    assertThat(parent.connector().open()).containsExactly(E3);
    assertThat(parent.state()).isEqualTo(TRANSIENT_FAILURE);
  }

  @Conformance("A42-11")
  @Test
  void theOnlyEndpointsFailureIsTheRings() {
    update(E1);
    pick(at(E1));
    parent.end(E1);

    assertThat(parent.state()).as("rule 6").isEqualTo(TRANSIENT_FAILURE);
  }

  @Conformance("A42-12")
  @Test
  void inTroubleItConnectsWithoutRequests() {
    update(E1, E2, E3);
    pick(at(E1));

    parent.end(E1);
    assertThat(parent.connector().open()).as("one further attempt").hasSize(1);
    parent.end(parent.connector().open().get(0));
    assertThat(parent.state()).isEqualTo(TRANSIENT_FAILURE);
    assertThat(parent.connector().open()).as("and the next").hasSize(1);
    parent.end(parent.connector().open().get(0));
    assertThat(parent.connector().open()).as("all have failed").isEmpty();

    parent.advance(Duration.ofSeconds(2));
    assertThat(parent.connector().open()).containsExactlyInAnyOrder(E1, E2, E3);
    parent.ready(E2);
    assertThat(parent.state()).isEqualTo(READY);
  }

  @Conformance("A117-01")
  @ParameterizedTest(name = "from place {0} on: the endpoint at place {1}")
  @CsvSource({"0, 1", "1, 1", "2, 2", "3, 3"})
  void aConnectionThatNoRequestAskedForBeginsAtARandomPlace(long drawn, int expected) {
    update(E1, E2, E3, "10.0.0.4:80");
    List<String> order = order(E1, E2, E3, "10.0.0.4:80");
    parent.random().next(Purpose.START_INDEX, drawn);
    pick(at(order.get(0)));

    parent.end(order.get(0));

    assertThat(parent.connector().open()).containsExactly(order.get(expected));
  }

  @Conformance("A117-01")
  @Test
  void behindTheLastPlaceComesTheFirst() {
    update(E1, E2, E3);
    List<String> order = order(E1, E2, E3);
    parent.random().next(Purpose.START_INDEX, 2);
    pick(at(order.get(2)));

    parent.end(order.get(2));

    assertThat(parent.connector().open()).containsExactly(order.get(0));
  }

  @Test
  void aLostConnectionIsNotMadeAgainUntilARequestNeedsIt() {
    update(E1, E2);
    connect(E1);

    parent.end(E1);
    assertThat(parent.state()).isEqualTo(IDLE);
    assertThat(parent.connector().open()).isEmpty();

    assertThat(pick(at(E1))).isInstanceOf(PickResult.Queue.class);
    assertThat(parent.connector().open()).containsExactly(E1);
  }

  @Test
  void aSecondAddressOfAnEndpointServesItsHash() {
    apply(SMALL, List.of(Samples.backend(E1, E3), Samples.backend(E2)));
    pick(at(E1));
    parent.end(E1);
    parent.ready(E3);

    assertThat(parent.picked(at(E1))).isEqualTo(E3);
  }

  @Conformance("A76-01")
  @Test
  void aHashKeyReplacesTheAddress() {
    apply(SMALL, List.of(keyed(E1, "pod-a"), keyed(E2, "pod-b")));
    connect("pod-a", E1);
    connect("pod-b", E2);

    assertThat(parent.picked(at("pod-a"))).isEqualTo(E1);
    assertThat(parent.picked(at("pod-b"))).isEqualTo(E2);
  }

  @Conformance("A76-03")
  @Test
  void anotherHashKeyMovesTheEndpointAndKeepsItsConnection() {
    apply(SMALL, List.of(keyed(E1, "pod-a"), keyed(E2, "pod-b")));
    connect("pod-a", E1);
    connect("pod-b", E2);

    apply(SMALL, List.of(keyed(E1, "pod-b"), keyed(E2, "pod-a")));

    assertThat(parent.picked(at("pod-a"))).isEqualTo(E2);
    assertThat(parent.picked(at("pod-b"))).isEqualTo(E1);
    assertThat(parent.connector().count()).isEqualTo(2);
  }

  @Conformance("A76-02")
  @Test
  void aHeaderMayGiveTheHashInTheRoutesStead() {
    apply(BY_HEADER, Samples.backends(E1, E2));
    PickContext call = TestCall.with("x-user", "alice");

    assertThat(pick(call)).isInstanceOf(PickResult.Queue.class);
    String target = parent.connector().open().get(0);
    parent.ready(target);

    assertThat(parent.picked(call)).isEqualTo(target);
    List<String> order = order(E1, E2);
    long hash = Xxh64.hash("alice");
    boolean beyond =
        Long.compareUnsigned(hash, place(order.get(0))) <= 0
            || Long.compareUnsigned(hash, place(order.get(1))) > 0;
    assertThat(target).isEqualTo(order.get(beyond ? 0 : 1));
  }

  @Conformance("A76-02")
  @Test
  void withoutTheHeaderAReadyEndpointIsTakenAndAtMostOneIsConnected() {
    apply(BY_HEADER, List.of(keyed(E1, "pod-a"), keyed(E2, "pod-b"), keyed(E3, "pod-c")));

    assertThat(pick(TestCall.CALL)).isInstanceOf(PickResult.Queue.class);
    assertThat(parent.connector().open()).hasSize(1);
    assertThat(pick(TestCall.CALL)).isInstanceOf(PickResult.Queue.class);
    assertThat(parent.connector().open()).as("one is connecting already").hasSize(1);
    String first = parent.connector().open().get(0);
    parent.ready(first);

    for (int i = 0; i < 50; i++) {
      assertThat(parent.picked(TestCall.with("x-user", ""))).isEqualTo(first);
      parent.loop().run();
    }
    assertThat(parent.connector().open()).as("the next, and no more while it connects").hasSize(2);
  }

  /** The first place that is drawn has failed, and the next one is IDLE. */
  @Conformance("A76-02")
  @Test
  void withoutTheHeaderAnIdleEndpointIsConnectedThoughTheFirstHasFailed() {
    update(E1, E2, E3);
    List<String> order = order(E1, E2, E3);
    connect(order.get(2));
    pick(at(order.get(0)));
    parent.end(order.get(0));
    apply(BY_HEADER, Samples.backends(E1, E2, E3));
    drawPlaceOf(order, 0);

    assertThat(parent.picked()).isEqualTo(order.get(2));
    parent.loop().run();

    assertThat(parent.connector().open()).containsExactlyInAnyOrder(order.get(1), order.get(2));
  }

  @Conformance("A76-02")
  @Test
  void withoutTheHeaderNothingIsConnectedBehindAReadyEndpoint() {
    update(E1, E2, E3);
    List<String> order = order(E1, E2, E3);
    connect(order.get(1));
    apply(BY_HEADER, Samples.backends(E1, E2, E3));
    drawPlaceOf(order, 1);

    assertThat(parent.picked()).isEqualTo(order.get(1));
    parent.loop().run();

    assertThat(parent.connector().open()).containsExactly(order.get(1));
  }

  /** Lets the next request without the header begin at the endpoint with this index. */
  private void drawPlaceOf(List<String> order, int index) {
    long drawn = 1;
    while (landing(order, Xxh64.hash(drawn)) != index) {
      drawn++;
    }
    parent.random().next(Purpose.HASH, drawn);
  }

  private static int landing(List<String> order, long hash) {
    for (int i = 0; i < order.size(); i++) {
      if (Long.compareUnsigned(hash, place(order.get(i))) <= 0) {
        return i;
      }
    }
    return 0;
  }

  @Test
  void withoutTheHeaderAPlanHasWhoeverIsReadyOrElseOneThatMayBecomeSo() {
    List<Backend> backends = Samples.backends(E1, E2, E3);
    List<String> order = order(E1, E2, E3);
    update(E1, E2, E3);
    connect(order.get(2));
    apply(BY_HEADER, backends);
    assertThat(planWithoutHeader()).containsOnlyKeys(order.get(2));
    assertThat(planWithoutHeader().get(order.get(2))).isCloseTo(1, offset(1e-9));

    parent.end(order.get(2));
    apply(SMALL, backends);
    pick(at(order.get(0)));
    parent.end(order.get(0));
    apply(BY_HEADER, backends);
    assertThat(planWithoutHeader()).as("not the one that failed").containsOnlyKeys("Queue");

    for (int i = 0; i < 2; i++) {
      parent.end(parent.connector().open().get(0));
    }
    assertThat(planWithoutHeader()).containsOnlyKeys("Fail");
  }

  @Conformance("A76-02")
  @Test
  void withoutTheHeaderEveryFailureIsAnAnswer() {
    apply(BY_HEADER, Samples.backends(E1, E2));
    fail(E1, E2);
    parent.random().next(Purpose.HASH, 1);

    assertThat(pick(TestCall.CALL)).isInstanceOf(PickResult.Fail.class);
  }

  @Test
  void withoutEndpointsItFails() {
    update(E1);
    connect(E1);

    update();

    assertThat(parent.failure()).contains("there are no endpoints");
    assertThat(parent.connector().open()).isEmpty();
  }

  @Test
  void pickingAllocatesNothing() {
    update(E1);
    connect(E1);

    assertThat(parent.picker().pick(at(E1))).isSameAs(parent.picker().pick(at(E1)));
  }

  @Test
  void theStatusShowsTheRing() {
    update(E1, E2);
    List<LbNode> nodes = new ArrayList<>();
    parent.loop().inside(() -> nodes.add(Samples.describe(policy, "z")));

    assertThat(nodes.get(0).policy()).isEqualTo("ring_hash");
    assertThat(nodes.get(0).config()).containsEntry("min_ring_size", 1L);
    assertThat(nodes.get(0).detail()).isEqualTo("a ring of 2 entries");
    assertThat(nodes.get(0).endpoints()).hasSize(2);
  }

  private void connect(String address) {
    connect(address, address);
  }

  private void connect(String key, String address) {
    pick(at(key));
    parent.ready(address);
  }

  /** Lets every attempt fail until all endpoints have. */
  private void fail(String... addresses) {
    pick(at(addresses[0]));
    pick(TestCall.CALL);
    for (int i = 0; i < addresses.length; i++) {
      parent.end(parent.connector().open().get(0));
    }
    assertThat(parent.connector().open()).isEmpty();
  }

  private PickResult pick(PickContext call) {
    PickResult result = parent.picker().pick(call);
    parent.loop().run();
    return result;
  }

  private PickPlan.Hashed plan(String key) {
    return (PickPlan.Hashed)
        parent.picker().plan(new PlannedTestCall(OptionalLong.of(place(key)), Map.of()));
  }

  /** Who gets which share of the calls without the header. */
  private Map<String, Double> planWithoutHeader() {
    Map<String, Double> shares = new HashMap<>();
    for (Odds odds :
        Odds.of(parent.picker().plan(new PlannedTestCall(OptionalLong.empty(), Map.of())))) {
      String result =
          odds.result() instanceof PickResult.Use use
              ? use.subchannel().address().toString()
              : odds.result().getClass().getSimpleName();
      shares.merge(result, odds.probability(), Double::sum);
    }
    return shares;
  }

  /** A call whose hash is just where the entry of {@code key} stands. */
  private static TestCall at(String key) {
    return TestCall.hashed(place(key));
  }

  private static long place(String key) {
    return Xxh64.hash(key + "_0");
  }

  /** In the order of the ring, from its lowest hash. */
  private static List<String> order(String... keys) {
    return Arrays.stream(keys).sorted((a, b) -> Long.compareUnsigned(place(a), place(b))).toList();
  }

  private static Backend keyed(String address, String key) {
    return new Backend(
        new Endpoint(List.of(Samples.address(address)), HealthStatus.HEALTHY, 1, "", key),
        Samples.locality("z"),
        0);
  }

  private void update(String... addresses) {
    apply(SMALL, Samples.backends(addresses));
  }

  private void apply(BalancingPolicy.RingHash settings, List<Backend> backends) {
    parent
        .loop()
        .inside(
            () ->
                policy.update(
                    new LbConfig.Leaf(settings, backends, LocalityWeights.EQUAL, NOTE, "")));
  }
}
