package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.Test;

class BudgetTest {
  private final Budget budget = new Budget(10);

  @Conformance("SC-22")
  @Test
  void aBudgetIsFilledAndNeverExceeded() {
    assertThat(budget.hold(7)).isTrue();
    assertThat(budget.hold(3)).isTrue();
    assertThat(budget.hold(1)).isFalse();
    assertThat(budget.held()).isEqualTo(10);

    budget.release(4);

    assertThat(budget.held()).isEqualTo(6);
    assertThat(budget.hold(4)).isTrue();
  }
}
