package io.outrigger.lb.outlier;

/** The calls to an endpoint that ended in one interval. */
record IntervalCalls(long succeeded, long failed) {
  static final IntervalCalls NONE = new IntervalCalls(0, 0);

  long volume() {
    return succeeded + failed;
  }

  /** Whether there were at least {@code requestVolume} calls, and at least one call (A50-56). */
  boolean hasVolume(long requestVolume) {
    return volume() > 0 && volume() >= requestVolume;
  }

  /** Returns the fraction of calls that succeeded; callers must first check {@link #hasVolume}. */
  double successRate() {
    return (double) succeeded / volume();
  }
}
