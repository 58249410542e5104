package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.ControlConfined;

/** The slots of one locality and weight: all have the same share in the next ring. */
@ControlConfined
final class WeightClass {
  private int size;
  private long share;
  private double entries;

  /** How many slots there are of it. */
  int size() {
    return size;
  }

  void size(int next) {
    size = next;
  }

  /** The share of one slot, in proportion to others; positive. */
  long share() {
    return share;
  }

  void share(long next) {
    share = next;
  }

  /** How many entries one slot gets, in the mean. */
  double entries() {
    return entries;
  }

  void entries(double next) {
    entries = next;
  }
}
