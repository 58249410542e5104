package io.outrigger.proxy.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AdminBudgetTest {
  private long nanos;
  private final List<String> ended = new ArrayList<>();
  private final AdminBudget budget = new AdminBudget(100, () -> nanos);

  private AdminBudget.Reader reader(String name) {
    return budget.reader(() -> ended.add(name));
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
  }

  @Test
  void whatIsTakenNoLongerCounts() {
    AdminBudget.Reader reader = reader("a");

    reader.add(60);
    reader.release(20);
    assertThat(budget.heldBytes()).isEqualTo(40);
    reader.release(40);

    assertThat(budget.heldBytes()).isZero();
    assertThat(budget.endHeaviest()).isZero();
    assertThat(ended).isEmpty();
  }

  @Test
  void theOneThatHasHeldMostForLongestGoesForTheOneThatAsks() {
    reader("much, just now").add(50);
    pass(Duration.ofSeconds(1));
    reader("less, for long").add(40);
    pass(Duration.ofSeconds(1));

    AdminBudget.Reader asking = reader("asking");
    asking.add(60);

    assertThat(ended).containsExactly("much, just now");
    assertThat(budget.heldBytes()).isEqualTo(100);
    pass(Duration.ofSeconds(10));
    reader("next").add(95);
    assertThat(ended).containsExactly("much, just now", "asking", "less, for long");
    assertThat(budget.heldBytes()).isEqualTo(95);
    assertThat(budget.endedReaders()).isEqualTo(3);
  }

  @Test
  void anAnswerBeyondTheBoundGoesOutAlone() {
    reader("other").add(1);

    reader("large").add(1000);

    assertThat(ended).containsExactly("other");
    assertThat(budget.heldBytes()).isEqualTo(1000);
  }

  @Test
  void takingAByteNowAndThenGainsNothing() {
    AdminBudget.Reader trickle = reader("trickle");
    trickle.add(60);
    for (int i = 0; i < 10; i++) {
      pass(Duration.ofSeconds(1));
      trickle.release(1);
    }
    reader("honest").add(45);

    reader("another").add(40);

    assertThat(ended).containsExactly("trickle");
  }

  @Test
  void nobodyLeavesAnAnswerUnreadForEver() {
    reader("early").add(1);
    AdminBudget.Reader again = reader("reads");
    again.add(1);
    pass(AdminBudget.MAX_UNREAD_TIME.minusNanos(1));
    again.release(1);
    again.add(1);
    budget.endOverdue();
    assertThat(ended).isEmpty();

    pass(Duration.ofNanos(1));
    budget.endOverdue();

    assertThat(ended).containsExactly("early");
    assertThat(budget.heldBytes()).isEqualTo(1);
  }

  @Test
  void oneThatWasEndedNeitherCountsNorGivesBackTwice() {
    AdminBudget.Reader reader = reader("a");
    reader.add(30);

    assertThat(budget.endHeaviest()).isEqualTo(30);
    reader.release(30);
    reader.add(10);

    assertThat(budget.heldBytes()).isZero();
    assertThat(budget.endHeaviest()).isZero();
    assertThat(ended).containsExactly("a");
  }
}
