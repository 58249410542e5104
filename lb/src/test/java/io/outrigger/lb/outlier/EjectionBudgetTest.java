package io.outrigger.lb.outlier;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.lb.outlier.Detector.EjectionBudget;
import io.outrigger.lb.view.OutlierEvent.Share;
import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EjectionBudgetTest {
  @Conformance({"A50-22", "A50-23"})
  @ParameterizedTest(name = "{0} endpoints at {1} %: {2}")
  @CsvSource({
    "10, 10, 1",
    "10, 20, 2",
    "5, 50, 3",
    "3, 34, 2",
    "3, 33, 1",
    "10, 100, 10",
    "1, 100, 1",
    // at least one, always
    "10, 0, 1",
    "1, 0, 1",
    "100, 0, 1",
    "1000000, 1, 10000",
  })
  void soManyMayBeEjected(int total, int maxPercent, int expected) {
    var budget = new EjectionBudget(maxPercent, total, 0);

    int ejected = 0;
    while (ejected < total && budget.hasRoom()) {
      budget.spend();
      ejected++;
    }

    assertThat(ejected).isEqualTo(expected);
    assertThat(budget.share()).isEqualTo(new Share(expected, total));
  }

  @Conformance("A50-24")
  @Test
  void thoseEjectedBeforeTakeTheirShare() {
    assertThat(new EjectionBudget(20, 10, 1).hasRoom()).isTrue();
    assertThat(new EjectionBudget(20, 10, 2).hasRoom()).isFalse();
    assertThat(new EjectionBudget(0, 10, 1).hasRoom()).isFalse();
  }

  @Conformance("A50-47")
  @Test
  void aMaximumLoweredBelowWhatIsEjectedOnlyLeavesNoRoom() {
    var budget = new EjectionBudget(10, 10, 5);

    assertThat(budget.hasRoom()).isFalse();
    assertThat(budget.share().ejected()).isEqualTo(5);
  }
}
