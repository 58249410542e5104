package io.outrigger.lb.priority;

import static io.outrigger.lb.state.Connectivity.CONNECTING;
import static io.outrigger.lb.state.Connectivity.IDLE;
import static io.outrigger.lb.state.Connectivity.READY;
import static io.outrigger.lb.state.Connectivity.TRANSIENT_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.FakePolicies;
import io.outrigger.lb.testing.FakePolicies.NamedPicker;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.LbNode;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PriorityPolicyTest {
  private static final Duration FAILOVER = Duration.ofSeconds(10);
  private static final Duration RETIREMENT = Duration.ofMinutes(15);

  private final FakeParent parent = new FakeParent();
  private final FakePolicies children = new FakePolicies();
  private final List<LbEvent> events = new ArrayList<>();
  private final PriorityPolicy policy =
      new PriorityPolicy(
          parent.context(events::add, 1),
          children,
          new LbConfig.Priority("pay", List.of()),
          parent);

  /** What calls wait for in the policy in {@code parent}. */
  private static String waits(FakeParent parent) {
    var queue = (PickResult.Queue) parent.pick();
    return queue.delayType() + ", " + queue.reason();
  }

  @Conformance("A121-01")
  @Test
  void callsThatWaitAreToldInWhichPriorityWhereSomebodyAsks() {
    var told = new FakeParent();
    var outerPolicies = new FakePolicies();
    var outer =
        new PriorityPolicy(
            new LbContext(told.loop(), told.random(), events::add, 1, true),
            outerPolicies,
            new LbConfig.Priority("all", List.of()),
            told);
    List<LbConfig.Child> priorities =
        List.of(
            new LbConfig.Child("p0", "p0", FakePolicies.config("p0", 0), true),
            new LbConfig.Child("p1", "p1", FakePolicies.config("p1", 0), true));
    told.loop().inside(() -> outer.update(new LbConfig.Priority("all", priorities)));
    PickResult nested = new PickResult.Queue("1:connecting", "round_robin: waiting");

    told.loop().inside(() -> outerPolicies.get("p0").publish(CONNECTING, nested));
    assertThat(waits(told)).isEqualTo("0:1:connecting, round_robin: waiting");

    told.loop()
        .inside(
            () ->
                outerPolicies
                    .get("p0")
                    .publish(
                        TRANSIENT_FAILURE, new PickResult.Fail(RpcStatus.unavailable("down"))));
    told.loop().inside(() -> outerPolicies.get("p1").publish(CONNECTING, nested));
    assertThat(waits(told))
        .isEqualTo(
            "1:1:connecting, priority: failing over to priority 1; p0 is in TRANSIENT_FAILURE;"
                + " round_robin: waiting");
  }

  @Conformance("A121-01")
  @Test
  void elsewherePickersAreHandedOnAsTheyAre() {
    update("p0");
    publish("p0", READY);

    assertThat(parent.picker()).isInstanceOf(NamedPicker.class);
  }

  @Conformance("A56-01")
  @Test
  void lowerPrioritiesAreNotMadeWhileTheFirstConnectsOrWorks() {
    update("p0", "p1", "p2");
    parent.advance(FAILOVER.minusMillis(1));
    assertThat(children.created()).containsExactly("p0");

    publish("p0", READY);
    parent.advance(Duration.ofHours(1));

    assertThat(children.created()).containsExactly("p0");
    assertThat(inUse()).isEqualTo("p0");
  }

  @Conformance("A56-02")
  @Test
  void aPriorityThatHangsIsFollowedAfterTenSeconds() {
    update("p0", "p1");

    parent.advance(FAILOVER);
    assertThat(children.created()).containsExactly("p0", "p1");
    publish("p1", READY);

    assertThat(inUse()).isEqualTo("p1");
  }

  @Conformance("A56-02")
  @Test
  void aPriorityThatFailsIsFollowedAtOnce() {
    update("p0", "p1");

    publish("p0", TRANSIENT_FAILURE);

    assertThat(children.created()).containsExactly("p0", "p1");
    assertThat(inUse()).isEqualTo("p1");
    assertThat(parent.state()).isEqualTo(CONNECTING);
  }

  @Conformance("A56-03")
  @Test
  void aWorkingPriorityThatLosesItsConnectionsHasTenSecondsToReconnect() {
    update("p0", "p1");
    publish("p0", READY);

    publish("p0", CONNECTING);
    parent.advance(FAILOVER.minusMillis(1));
    assertThat(inUse()).isEqualTo("p0");
    assertThat(parent.state()).isEqualTo(CONNECTING);
    parent.advance(Duration.ofMillis(1));

    assertThat(children.created()).containsExactly("p0", "p1");
  }

  @Conformance("A56-03")
  @Test
  void anIdlePriorityIsKept() {
    update("p0", "p1");
    publish("p0", READY);

    publish("p0", IDLE);
    parent.advance(Duration.ofHours(1));

    assertThat(children.created()).containsExactly("p0");
    assertThat(parent.state()).isEqualTo(IDLE);

    publish("p0", CONNECTING);
    parent.advance(FAILOVER.minusMillis(1));
    assertThat(children.created()).as("IDLE earns the grace as READY does").hasSize(1);
    parent.advance(Duration.ofMillis(1));
    assertThat(children.created()).containsExactly("p0", "p1");
  }

  @Conformance("A56-04")
  @Test
  void repeatedConnectingDoesNotRestartTheGrace() {
    update("p0", "p1");
    publish("p0", READY);
    publish("p0", CONNECTING);

    for (int second = 0; second < 9; second++) {
      parent.advance(Duration.ofSeconds(1));
      publish("p0", CONNECTING);
    }
    assertThat(children.created()).containsExactly("p0");
    parent.advance(Duration.ofSeconds(1));

    assertThat(children.created()).containsExactly("p0", "p1");
  }

  @Conformance("A56-04")
  @Test
  void repeatedConnectingDoesNotBeginAnotherGraceAfterTheFirst() {
    update("p0", "p1");
    publish("p0", READY);
    publish("p0", CONNECTING);
    parent.advance(FAILOVER);
    publish("p1", READY);
    assertThat(inUse()).isEqualTo("p1");

    for (int i = 0; i < 3; i++) {
      publish("p0", CONNECTING);
      assertThat(inUse()).isEqualTo("p1");
      parent.advance(FAILOVER);
    }
    publish("p0", READY);
    publish("p0", CONNECTING);

    assertThat(inUse()).as("it worked again, and has its time").isEqualTo("p0");
  }

  @Conformance("A56-04")
  @Test
  void afterAFailureThereIsNoGraceUntilItWorkedAgain() {
    update("p0", "p1");
    publish("p0", TRANSIENT_FAILURE);
    publish("p1", READY);

    publish("p0", CONNECTING);
    assertThat(inUse()).isEqualTo("p1");
    publish("p0", READY);
    publish("p0", CONNECTING);

    assertThat(inUse()).isEqualTo("p0");
  }

  @Conformance("A56-04")
  @Test
  void whatFailedAfterItWorkedHasNoGraceWhenItConnects() {
    update("p0", "p1");
    publish("p0", READY);
    publish("p0", TRANSIENT_FAILURE);
    publish("p1", READY);
    assertThat(inUse()).isEqualTo("p1");

    publish("p0", CONNECTING);
    assertThat(inUse()).isEqualTo("p1");
    publish("p0", READY);
    publish("p0", CONNECTING);

    assertThat(inUse()).as("it works again, and has its time").isEqualTo("p0");
  }

  @Conformance("A56-05")
  @Test
  void whenNoneWorksTheFirstThatConnectsIsUsed() {
    update("p0", "p1", "p2");
    publish("p0", TRANSIENT_FAILURE);
    parent.advance(FAILOVER);
    publish("p2", TRANSIENT_FAILURE);

    assertThat(inUse()).isEqualTo("p1");
    assertThat(parent.state()).isEqualTo(CONNECTING);
  }

  @Conformance("A56-05")
  @Test
  void whenAllFailedTheLastOnesFailureIsReported() {
    update("p0", "p1");

    publish("p0", TRANSIENT_FAILURE);
    publish("p1", TRANSIENT_FAILURE);

    assertThat(inUse()).isEqualTo("p1");
    assertThat(parent.state()).isEqualTo(TRANSIENT_FAILURE);
  }

  @Conformance("A56-06")
  @Test
  void aHigherPriorityThatWorksAgainIsUsedAtOnceAndTheLowerIsKeptFifteenMinutes() {
    update("p0", "p1");
    publish("p0", TRANSIENT_FAILURE);
    publish("p1", READY);

    publish("p0", READY);
    assertThat(inUse()).isEqualTo("p0");
    parent.advance(RETIREMENT.minusMillis(1));
    assertThat(children.get("p1").isClosed()).isFalse();
    parent.advance(Duration.ofMillis(1));

    assertThat(children.get("p1").isClosed()).isTrue();
  }

  @Conformance("A56-06")
  @Test
  void aLowerPriorityThatIsNeededAgainIsUsedAsItIs() {
    update("p0", "p1");
    publish("p0", TRANSIENT_FAILURE);
    publish("p1", READY);
    publish("p0", READY);
    parent.advance(RETIREMENT.minusSeconds(1));

    publish("p0", TRANSIENT_FAILURE);
    assertThat(inUse()).isEqualTo("p1");
    parent.advance(RETIREMENT.multipliedBy(2));

    assertThat(children.get("p1").isClosed()).isFalse();
    assertThat(children.created()).containsExactly("p0", "p1");
  }

  @Conformance("A56-06")
  @Test
  void aPriorityThatWasDestroyedIsMadeAnew() {
    update("p0", "p1");
    publish("p0", TRANSIENT_FAILURE);
    publish("p1", READY);
    publish("p0", READY);
    parent.advance(RETIREMENT);

    publish("p0", TRANSIENT_FAILURE);

    assertThat(children.created()).containsExactly("p0", "p1", "p1");
  }

  @Conformance("A56-07")
  @Test
  void aPriorityThatIsNoLongerConfiguredIsDestroyedAtOnce() {
    update("p0", "p1");
    publish("p0", TRANSIENT_FAILURE);
    publish("p1", READY);

    update("p0");

    assertThat(children.get("p1").isClosed()).isTrue();
    assertThat(inUse()).isEqualTo("p0");
    assertThat(parent.state()).isEqualTo(TRANSIENT_FAILURE);
  }

  @Conformance("A56-08")
  @Test
  void anEmptyListFails() {
    update();

    assertThat(parent.state()).isEqualTo(TRANSIENT_FAILURE);
    assertThat(((PickResult.Fail) parent.pick()).status().message())
        .isEqualTo("cluster \"pay\": empty priority list");
  }

  @Conformance("A56-09")
  @Test
  void anUpdateShowsNoChoiceBeforeAllChildrenHaveTheirs() {
    update("p0", "p1");
    publish("p0", TRANSIENT_FAILURE);
    publish("p1", READY);
    int before = parent.states().size();
    children.onUpdate("p0", READY);
    children.onUpdate("p1", TRANSIENT_FAILURE);

    update(1, "p1", "p0");

    assertThat(parent.states()).hasSize(before + 1);
    assertThat(inUse()).isEqualTo("p0");
  }

  @Test
  void childrenThatMoveKeepTheirPolicy() {
    update("p0", "p1");
    publish("p0", TRANSIENT_FAILURE);
    publish("p1", READY);

    update("p1", "p0");

    assertThat(children.created()).containsExactly("p0", "p1");
    assertThat(inUse()).isEqualTo("p1");
  }

  @Test
  void anUnchangedChildIsNotUpdated() {
    update("p0", "p1");
    publish("p0", READY);

    update("p0");

    assertThat(children.get("p0").updates()).isEqualTo(1);
  }

  @Conformance("A75-47")
  @Test
  void onlyChildrenThatMayAskForFreshAddresses() {
    update(
        List.of(
            new LbConfig.Child("p0", "p0", FakePolicies.config("p0"), false),
            new LbConfig.Child("p1", "p1", FakePolicies.config("p1"), true)));
    publish("p0", TRANSIENT_FAILURE);

    parent.loop().inside(() -> children.get("p0").requestReresolution());
    assertThat(parent.reresolutions()).isZero();
    parent.loop().inside(() -> children.get("p1").requestReresolution());

    assertThat(parent.reresolutions()).isEqualTo(1);
  }

  @Test
  void closingEndsChildrenAndTimers() {
    update("p0", "p1");
    publish("p0", TRANSIENT_FAILURE);

    parent.loop().inside(policy::close);

    assertThat(children.get("p0").isClosed()).isTrue();
    assertThat(children.get("p1").isClosed()).isTrue();
    assertThat(parent.loop().pendingTimers()).isZero();
  }

  @Test
  void statusShowsChildrenThatWereNotStarted() {
    update("p0", "p1");
    publish("p0", READY);
    List<LbNode> nodes = new ArrayList<>();

    parent.loop().inside(() -> nodes.add(Samples.describe(policy, "pay")));

    assertThat(nodes.get(0).children()).extracting(LbNode::name).containsExactly("p0", "p1");
    assertThat(nodes.get(0).children().get(1).detail()).isEqualTo("not started");
    assertThat(nodes.get(0).detail()).isEqualTo("p0 is in use");
    assertThat(Set.of(nodes.get(0).state())).containsExactly(READY);
  }

  @Test
  void aSwitchIsToldWithItsReason() {
    update("p0", "p1");
    publish("p0", TRANSIENT_FAILURE);
    publish("p1", READY);
    publish("p0", READY);
    publish("p0", CONNECTING);
    parent.advance(FAILOVER);
    update("p2");

    assertThat(events)
        .extracting(event -> (LbEvent.PrioritySwitch) event)
        .extracting(change -> change.from() + " > " + change.to() + ": " + change.reason())
        .containsExactly(
            "p0 > p1: p0 is in TRANSIENT_FAILURE",
            "p1 > p0: p0 comes before it",
            "p0 > p1: p0 has not connected within 10 s",
            "p1 > p2: p1 is no longer configured");
  }

  @Test
  void statusTellsWhyTheFirstIsNotInUse() {
    update("p0", "p1");
    publish("p0", TRANSIENT_FAILURE);
    publish("p1", READY);
    List<LbNode> nodes = new ArrayList<>();

    parent.loop().inside(() -> nodes.add(Samples.describe(policy, "pay")));

    assertThat(nodes.get(0).detail()).isEqualTo("p1 is in use: p0 is in TRANSIENT_FAILURE");
    assertThat(nodes.get(0).children()).extracting(LbNode::isUsed).containsExactly(false, true);
  }

  @Test
  void theSamePickerAgainIsNotPublished() {
    update("p0", "p1");
    publish("p0", READY);
    int before = parent.states().size();

    update("p0", "p1", "p2"); // p0 is as it was
    assertThat(parent.states()).hasSize(before);
    publish("p0", TRANSIENT_FAILURE);
    publish("p1", READY);
    before = parent.states().size();
    publish("p0", TRANSIENT_FAILURE); // nobody uses it

    assertThat(parent.states()).hasSize(before);
  }

  @Test
  void aChildThatLeavesBeforeItsTimeLeavesNoTimer() {
    update("p0", "p1");
    publish("p0", TRANSIENT_FAILURE);
    publish("p1", READY);
    publish("p0", READY); // p1 is to be destroyed in 15 minutes
    assertThat(parent.loop().pendingTimers()).isEqualTo(1);

    update("p0");

    assertThat(parent.loop().pendingTimers()).isZero();
  }

  private String inUse() {
    return ((NamedPicker) parent.picker()).policy();
  }

  private void publish(String child, Connectivity state) {
    parent.loop().inside(() -> children.get(child).publish(state));
    assertThat(parent.picker().pick(TestCall.CALL)).isNotNull();
  }

  private void update(String... names) {
    update(0, names);
  }

  private void update(int version, String... names) {
    update(
        Arrays.stream(names)
            .map(name -> new LbConfig.Child(name, name, FakePolicies.config(name, version), true))
            .toList());
  }

  private void update(List<LbConfig.Child> priorities) {
    parent.loop().inside(() -> policy.update(new LbConfig.Priority("pay", priorities)));
  }
}
