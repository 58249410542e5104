package io.outrigger.lb.view;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OutlierEventTest {
  @Test
  void evidenceIsToldWithItsNumbers() {
    assertThat(new OutlierEvent.LowSuccessRate(0.5, 0.9, 0.01, 0.881, 120, 5).text())
        .isEqualTo(
            "success rate 0.5000 < 0.8810"
                + " (mean 0.9000, standard deviation 0.0100 over 5 hosts, 120 calls)");
    assertThat(new OutlierEvent.HighFailurePercentage(41, 30, 120, 5).text())
        .isEqualTo("failure percentage 41.00 > 30 (5 hosts, 120 calls)");
    assertThat(new OutlierEvent.Share(2, 5)).hasToString("2 of 5");
  }

  @Test
  void reasonsHaveTheirWords() {
    assertThat(OutlierEvent.UnenforcedReason.values())
        .extracting(OutlierEvent.UnenforcedReason::word)
        .containsExactly("enforcement_percentage", "max_ejection_overflow");
    assertThat(OutlierEvent.UnejectReason.values())
        .extracting(OutlierEvent.UnejectReason::text)
        .containsExactly("its time is over", "detection was switched off");
  }
}
