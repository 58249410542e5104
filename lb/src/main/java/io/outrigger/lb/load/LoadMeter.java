package io.outrigger.lb.load;

import io.outrigger.base.ControlConfined;

/** Counts the calls of a cluster: one of several, where several targets use the cluster. */
@ControlConfined
public interface LoadMeter {
  /** Adds what was counted since the last time, and what is in progress now. */
  void collect(LoadSums sums);

  /** Whether nothing will be counted any more. */
  boolean isOver();
}
