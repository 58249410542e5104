package io.outrigger.observe.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AdminBudgetTest {
  private final List<String> ended = new ArrayList<>();
  private final AdminBudget budget = new AdminBudget(100);

  private AdminBudget.Reader reader(String name) {
    return budget.reader(() -> ended.add(name));
  }

  @Test
  void whatIsTakenNoLongerCounts() {
    AdminBudget.Reader reader = reader("a");

    reader.add(60);
    reader.release(20);
    assertThat(budget.heldBytes()).isEqualTo(40);
    reader.release(40);
    reader.add(100);

    assertThat(budget.heldBytes()).isEqualTo(100);
    assertThat(ended).isEmpty();
  }

  @Test
  void theOneThatHasLeftBytesUnreadForLongestGoesForTheOneThatAsks() {
    reader("first").add(10);
    reader("second").add(80);

    reader("asking").add(60);
    assertThat(ended).containsExactly("first", "second");
    assertThat(budget.heldBytes()).isEqualTo(60);

    reader("next").add(40);
    assertThat(ended).hasSize(2);
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
    AdminBudget.Reader reads = reader("reads");
    reads.add(20);
    trickle.add(60);
    reads.release(20);
    trickle.release(1);
    reads.add(30);

    reader("another").add(40);

    assertThat(ended).containsExactly("trickle");
  }

  @Test
  void oneThatWasEndedNeitherCountsNorEndsTwice() {
    AdminBudget.Reader reader = reader("a");
    reader.add(30);
    reader("large").add(90);
    assertThat(ended).containsExactly("a");

    reader.release(30);
    reader.add(10);

    assertThat(budget.heldBytes()).isEqualTo(90);
    assertThat(ended).containsExactly("a");
  }
}
