package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.ControlConfined;

/**
 * The slots with the same locality and weight: all of them have the same share in the next ring.
 */
@ControlConfined
final class WeightClass {
  private int size;
  private long share;
  private double entries;

  /** The number of slots in this class. */
  int size() {
    return size;
  }

  void size(int next) {
    size = next;
  }

  /** The share of each slot, in proportion to the shares of other classes; positive. */
  long share() {
    return share;
  }

  void share(long next) {
    share = next;
  }

  /** The average number of entries of each slot. */
  double entries() {
    return entries;
  }

  void entries(double next) {
    entries = next;
  }
}
