package io.outrigger.lb.load;

import io.outrigger.base.ControlConfined;

/** Counts the calls of a cluster. Each target that uses the cluster has one. */
@ControlConfined
public interface LoadMeter {
  /** Adds the counts since the last call of this method, and the calls in progress now. */
  void collect(LoadSums sums);

  /** Whether nothing will be counted any more. */
  boolean isOver();
}
