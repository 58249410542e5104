package io.outrigger.lb.outlier;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.view.OutlierEvent.Share;

/**
 * How many endpoints may be ejected at once; the two algorithms of a sweep share one budget
 * (A50-24). One endpoint may always be ejected, however small the share is (A50-23, decision
 * lb-0010).
 */
@ControlConfined
final class EjectionBudget {
  private final int maxPercent;
  private final int total;
  private int ejected;

  /**
   * @param total endpoints of the cluster, of every priority, with or without traffic (A50-25)
   * @param ejected how many of them are ejected already
   */
  EjectionBudget(int maxPercent, int total, int ejected) {
    this.maxPercent = maxPercent;
    this.total = total;
    this.ejected = ejected;
  }

  /** Whether one more may be ejected (A50-22). */
  boolean hasRoom() {
    return ejected == 0 || ejected * 100L < (long) maxPercent * total;
  }

  /** Counts one more in. */
  void spend() {
    ejected++;
  }

  Share share() {
    return new Share(ejected, total);
  }
}
