package io.outrigger.lb;

import static io.outrigger.lb.state.Connectivity.CONNECTING;
import static io.outrigger.lb.state.Connectivity.IDLE;
import static io.outrigger.lb.state.Connectivity.READY;
import static io.outrigger.lb.state.Connectivity.TRANSIENT_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.config.LocalityWeights;
import io.outrigger.lb.endpoint.LeafPolicies;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.view.LbNode;
import io.outrigger.testing.Conformance;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChildSlotTest {
  private static final String E1 = "10.0.0.1:80";
  private static final String E2 = "10.0.0.2:80";
  private static final FailureNote NOTE = new FailureNote("pay", Samples.NOTE);

  private final FakeParent parent = new FakeParent();
  private final ChildSlot slot = new ChildSlot(this::create, parent);

  private LbPolicy create(LbConfig config, LbParent above) {
    return LeafPolicies.create(parent.context(1), config, above);
  }

  @Conformance("A52-05")
  @Test
  void aPolicyInUseServesWhileItsSuccessorConnects() {
    update(roundRobin(E1));
    parent.ready(E1);

    update(leastRequest(E2));
    assertThat(parent.state()).isEqualTo(READY);
    assertThat(parent.picked()).isEqualTo(E1);
    assertThat(parent.connector().open()).containsExactly(E1, E2);
    int published = parent.states().size();
    parent.ready(E2);

    assertThat(parent.picked()).isEqualTo(E2);
    assertThat(parent.connector().open()).as("the old one is gone").containsExactly(E2);
    assertThat(parent.states().subList(published, parent.states().size())).containsOnly(READY);
    assertThat(policy()).isEqualTo("least_request");
  }

  @Conformance("A52-05")
  @Test
  void aSuccessorThatFailsTakesOverAsWell() {
    update(roundRobin(E1));
    parent.ready(E1);

    update(leastRequest(E2));
    parent.end(E2);

    assertThat(parent.state()).isEqualTo(TRANSIENT_FAILURE);
    assertThat(parent.connector().open()).isEmpty();
  }

  @Test
  void aSuccessorThatConnectsOnDemandTakesOverAtOnce() {
    update(roundRobin(E1));
    parent.ready(E1);

    update(
        new LbConfig.Leaf(
            new BalancingPolicy.RingHash(1, 1, ""),
            Samples.backends(E2),
            LocalityWeights.EQUAL,
            NOTE,
            ""));

    assertThat(parent.state()).isEqualTo(IDLE);
    assertThat(parent.connector().open()).isEmpty();
  }

  @Test
  void aPolicyThatIsNotReadyIsNotKept() {
    update(roundRobin(E1));

    update(leastRequest(E2));

    assertThat(parent.state()).isEqualTo(CONNECTING);
    assertThat(parent.connector().open()).containsExactly(E2);
  }

  @Conformance("A52-05")
  @Test
  void whenTheOldOneFailsItsSuccessorTakesOverAsItIs() {
    update(roundRobin(E1));
    parent.ready(E1);
    update(leastRequest(E2));

    parent.end(E1);

    assertThat(parent.state()).isEqualTo(CONNECTING);
    assertThat(parent.connector().open()).containsExactly(E2);
    parent.ready(E2);
    assertThat(parent.picked()).isEqualTo(E2);
  }

  @Test
  void theSuccessorIsUpdatedAndCalledOff() {
    update(roundRobin(E1));
    parent.ready(E1);
    update(leastRequest(E2));
    update(leastRequest("10.0.0.3:80"));
    assertThat(parent.connector().open()).containsExactly(E1, "10.0.0.3:80");

    update(roundRobin(E1, E2));

    assertThat(parent.connector().open()).containsExactly(E1, E2);
    assertThat(parent.picked()).isEqualTo(E1);
    assertThat(policy()).isEqualTo("round_robin");
  }

  @Test
  void anotherSuccessorReplacesTheFirst() {
    update(roundRobin(E1));
    parent.ready(E1);
    update(leastRequest(E2));

    update(
        new LbConfig.Leaf(
            new BalancingPolicy.PickFirst(false),
            Samples.backends("10.0.0.3:80"),
            LocalityWeights.EQUAL,
            NOTE,
            ""));

    assertThat(parent.connector().open()).containsExactly(E1, "10.0.0.3:80");
    parent.ready("10.0.0.3:80");
    assertThat(policy()).isEqualTo("pick_first");
  }

  @Conformance("A37-05")
  @Test
  void thePolicyInUseAndItsSuccessorMayAskForAddresses() {
    update(roundRobin(E1));
    parent.ready(E1);
    parent.end(E1);
    assertThat(parent.reresolutions()).isEqualTo(1);
    parent.ready(E1);

    update(leastRequest(E2));
    parent.end(E2);

    assertThat(parent.reresolutions()).isEqualTo(2);
  }

  @Test
  void closingLeavesNothing() {
    update(roundRobin(E1));
    parent.ready(E1);
    update(leastRequest(E2));
    int published = parent.states().size();

    parent.loop().inside(slot::close);

    assertThat(parent.connector().open()).isEmpty();
    assertThat(parent.states()).hasSize(published);
  }

  private String policy() {
    List<String> names = new ArrayList<>();
    parent
        .loop()
        .inside(
            () -> names.add(LbNode.of(visitor -> slot.accept(visitor, "z", true)).get(0).policy()));
    return names.get(0);
  }

  private static LbConfig roundRobin(String... addresses) {
    return new LbConfig.Leaf(
        new BalancingPolicy.RoundRobin(),
        Samples.backends(addresses),
        LocalityWeights.EQUAL,
        NOTE,
        "");
  }

  private static LbConfig leastRequest(String... addresses) {
    return new LbConfig.Leaf(
        new BalancingPolicy.LeastRequest(2),
        Samples.backends(addresses),
        LocalityWeights.EQUAL,
        NOTE,
        "");
  }

  private void update(LbConfig config) {
    parent.loop().inside(() -> slot.update(config));
  }
}
