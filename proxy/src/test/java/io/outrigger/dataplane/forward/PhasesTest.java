package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that calls and attempts allow exactly the transitions of their tables. */
class PhasesTest {
  @Test
  void callsTakeOnlyTheStepsOfTheirTable() {
    assertThatIllegalStateException()
        .isThrownBy(() -> ForwardedCall.Phase.DONE.to(ForwardedCall.Phase.SENDING))
        .withMessage("a call went from DONE to SENDING");
    assertThat(steps(ForwardedCall.Phase.values(), ForwardedCall.Phase::to))
        .containsExactly(
            "ROUTING [DELAYED, SENDING, DONE]",
            "DELAYED [SENDING, DONE]",
            "SENDING [DONE]",
            "DONE []");
  }

  @Test
  void attemptsTakeOnlyTheStepsOfTheirTable() {
    assertThatIllegalStateException()
        .isThrownBy(() -> CallAttempts.Phase.OVER.to(CallAttempts.Phase.IDLE))
        .withMessage("the attempts of a call went from OVER to IDLE");
    assertThat(steps(CallAttempts.Phase.values(), CallAttempts.Phase::to))
        .containsExactly(
            "IDLE [PICKING, OVER]",
            "PICKING [OPENING, BACKING_OFF, OVER]",
            "OPENING [PICKING, STREAMING, OVER]",
            "STREAMING [PICKING, BACKING_OFF, OVER]",
            "BACKING_OFF [PICKING, OVER]",
            "OVER []");
  }

  private static <P> List<String> steps(P[] phases, BinaryOperator<P> to) {
    List<String> steps = new ArrayList<>();
    for (P from : phases) {
      List<P> allowed = Stream.of(phases).filter(next -> isStep(from, next, to)).toList();
      steps.add(from + " " + allowed);
    }
    return steps;
  }

  private static <P> boolean isStep(P from, P next, BinaryOperator<P> to) {
    try {
      return to.apply(from, next) == next;
    } catch (IllegalStateException refused) {
      return false;
    }
  }
}
