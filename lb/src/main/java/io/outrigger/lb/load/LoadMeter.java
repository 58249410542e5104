package io.outrigger.lb.load;

import io.outrigger.base.ControlConfined;

/**
 * Counts the calls of a cluster for one target. Each target that uses the cluster has its own
 * meter.
 */
@ControlConfined
public interface LoadMeter {
  /**
   * Adds to {@code sums} the counts since the last call of this method, and the calls in progress
   * now.
   */
  void collect(LoadSums sums);

  /** Whether the meter will count no more calls. */
  boolean isOver();
}
