package io.outrigger.lb;

import io.outrigger.base.ControlConfined;

/** Hears what outlier detection decides; logs and metrics implement it. On the control loop. */
@ControlConfined
@FunctionalInterface
public interface OutlierObserver {
  OutlierObserver NONE = event -> {};

  void onOutlier(OutlierEvent event);

  /** One observer that tells this one, then {@code other}. */
  default OutlierObserver and(OutlierObserver other) {
    return event -> {
      onOutlier(event);
      other.onOutlier(event);
    };
  }
}
