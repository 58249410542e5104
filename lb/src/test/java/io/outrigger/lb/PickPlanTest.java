package io.outrigger.lb;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.route.Fraction;
import io.outrigger.lb.PickPlan.Certain;
import io.outrigger.lb.PickPlan.Drop;
import io.outrigger.lb.PickPlan.Dropping;
import io.outrigger.lb.PickPlan.Limited;
import io.outrigger.lb.PickPlan.OverrideCandidate;
import io.outrigger.lb.PickPlan.OverrideOutcome;
import io.outrigger.lb.PickPlan.Preferring;
import io.outrigger.lb.PickPlan.Share;
import io.outrigger.lb.PickPlan.Shared;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Odds;
import io.outrigger.lb.testing.PlannedTestCall;
import io.outrigger.lb.testing.Samples;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class PickPlanTest {
  private static final PickResult USE =
      new PickResult.Use(
          new FakeParent()
              .newSubchannel(
                  Samples.backend("10.0.0.1:80"),
                  Samples.address("10.0.0.1:80"),
                  (state, reason) -> {}));
  private static final PickResult FULL =
      new PickResult.Drop(RpcStatus.unavailable("full"), PickResult.Reason.CIRCUIT_BREAKER);
  private static final PickResult DROPPED =
      new PickResult.Drop(RpcStatus.unavailable("dropped"), PickResult.Reason.OVERLOAD_DROP);
  private static final OverrideCandidate WISH =
      new OverrideCandidate(Samples.address("10.0.0.1:80"), "READY");
  private static final PickPlan SURE = new Certain(USE);
  private static final PickPlan WAITING = new Certain(Samples.QUEUE);

  @Test
  void whatIsDroppedIsTakenFromWhatIsLeft() {
    var plan = new Dropping(List.of(drop(50), drop(0), drop(20)), SURE);

    assertThat(Odds.of(plan))
        .containsExactly(new Odds(0.5, DROPPED), new Odds(0.1, DROPPED), new Odds(0.4, USE));
  }

  @Test
  void aFullBreakerTakesTheCallsThatHaveTheirEndpoint() {
    var halves = new Shared(List.of(new Share(0.5, SURE), new Share(0.5, WAITING)));

    assertThat(Odds.of(new Limited(2, 3, FULL, halves)))
        .containsExactly(new Odds(0.5, USE), new Odds(0.5, Samples.QUEUE));
    assertThat(Odds.of(new Limited(3, 3, FULL, halves)))
        .containsExactly(new Odds(0.5, FULL), new Odds(0.5, Samples.QUEUE));
  }

  @Test
  void aPickerThatTellsNothingHasNoOdds() {
    Picker silent = call -> USE;

    assertThat(Odds.of(silent.plan(new PlannedTestCall(OptionalLong.empty(), Map.of())))).isEmpty();
  }

  @Test
  void aSessionAndAHashLeaveTheOddsAsTheyAre() {
    assertThat(Odds.of(new Preferring(List.of(WISH), OverrideOutcome.KEPT, SURE)))
        .containsExactly(new Odds(1, USE));
    assertThat(Odds.of(hashed(SURE))).containsExactly(new Odds(1, USE));
  }

  @Test
  void whoIsLeftOutIsToldWhy() {
    String another = "another endpoint gets every call";
    assertThat(SURE.exclusionReason()).contains(another);
    assertThat(WAITING.exclusionReason()).isEmpty();
    assertThat(new Shared(List.of(new Share(1, WAITING), new Share(0, SURE))).exclusionReason())
        .contains(another);
    assertThat(new Dropping(List.of(drop(1)), SURE).exclusionReason()).contains(another);
    assertThat(new Limited(0, 1, FULL, SURE).exclusionReason()).contains(another);
    assertThat(hashed(WAITING).exclusionReason()).contains("the hash falls to another endpoint");

    assertThat(new Preferring(List.of(WISH), OverrideOutcome.KEPT, WAITING).exclusionReason())
        .contains("the session stays with another endpoint");
    assertThat(new Preferring(List.of(WISH), OverrideOutcome.LOST, SURE).exclusionReason())
        .contains(another);
    assertThat(new Preferring(List.of(), OverrideOutcome.NOT_LOOKED_UP, SURE).exclusionReason())
        .contains(another);
    assertThat(new Preferring(List.of(WISH), OverrideOutcome.NOT_LOOKED_UP, SURE).exclusionReason())
        .contains("the endpoint that the session names is being looked up");
  }

  private static Drop drop(int percent) {
    return new Drop(new DropCategory("lb", new Fraction(percent, 100)), DROPPED);
  }

  private static PickPlan hashed(PickPlan rest) {
    return new PickPlan.Hashed(OptionalLong.of(1), "header", 0, 1, 0, rest);
  }
}
