package io.outrigger.observe.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AdminBudgetTest {
  private final List<String> ended = new ArrayList<>();
  private final AdminBudget budget = new AdminBudget(100);

  private AdminBudget.Unread add(String client, long bytes) {
    return budget.add(bytes, () -> ended.add(client));
  }

  @Test
  void repliesThatWereReadNoLongerCount() {
    AdminBudget.Unread first = add("a", 60);

    first.done();
    first.done();
    add("a", 100);

    assertThat(budget.heldBytes()).isEqualTo(100);
    assertThat(ended).isEmpty();
  }

  @Test
  void theOldestUnreadReplyGoesForTheNewest() {
    add("first", 10);
    add("second", 80);

    add("asking", 60);
    assertThat(ended).containsExactly("first", "second");
    assertThat(budget.heldBytes()).isEqualTo(60);

    add("next", 40);
    assertThat(ended).hasSize(2);
  }

  @Test
  void aReplyBeyondTheBoundIsSentAlone() {
    add("other", 1);

    add("large", 1000);

    assertThat(ended).containsExactly("other");
    assertThat(budget.heldBytes()).isEqualTo(1000);
  }

  @Test
  void aReplyWhoseClientWasDisconnectedNeitherCountsNorEndsTwice() {
    AdminBudget.Unread unread = add("a", 30);
    add("large", 90);
    assertThat(ended).containsExactly("a");

    unread.done();

    assertThat(budget.heldBytes()).isEqualTo(90);
    assertThat(ended).containsExactly("a");
  }
}
