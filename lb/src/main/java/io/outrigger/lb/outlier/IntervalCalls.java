package io.outrigger.lb.outlier;

/** Calls to an endpoint that ended in one interval. */
record IntervalCalls(long succeeded, long failed) {
  static final IntervalCalls NONE = new IntervalCalls(0, 0);

  long volume() {
    return succeeded + failed;
  }

  /** Whether there were enough calls for a rate, and at least one (A50-56). */
  boolean hasVolume(long requestVolume) {
    return volume() > 0 && volume() >= requestVolume;
  }

  /** A fraction; only with volume. */
  double successRate() {
    return (double) succeeded / volume();
  }
}
