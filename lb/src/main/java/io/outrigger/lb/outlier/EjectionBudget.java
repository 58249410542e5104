package io.outrigger.lb.outlier;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.view.OutlierEvent.Share;

/**
 * Limits how many endpoints may be ejected at once; the two algorithms of a sweep share one budget
 * (A50-24). One endpoint may always be ejected, however small the percentage is (A50-23, decision
 * lb-0010).
 */
@ControlConfined
final class EjectionBudget {
  private final int maxPercent;
  private final int total;
  private int ejected;

  /**
   * @param total the number of endpoints of the cluster, in every priority, with or without traffic
   *     (A50-25)
   */
  EjectionBudget(int maxPercent, int total, int ejected) {
    this.maxPercent = maxPercent;
    this.total = total;
    this.ejected = ejected;
  }

  /** Whether one more endpoint may be ejected (A50-22). */
  boolean hasRoom() {
    return ejected == 0 || ejected * 100L < (long) maxPercent * total;
  }

  void spend() {
    ejected++;
  }

  Share share() {
    return new Share(ejected, total);
  }
}
