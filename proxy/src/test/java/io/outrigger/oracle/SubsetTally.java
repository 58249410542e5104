package io.outrigger.oracle;

import java.util.List;
import java.util.Set;

/** How often each place among the endpoints was in a subset, over many clients (A68). */
final class SubsetTally {
  private static final int PLACES = 6;

  private final double[] surplus = new double[PLACES];
  private final double[] variance = new double[PLACES];
  private int subsets;

  /** A client's first choice among {@code ports}. */
  void add(List<Integer> ports, Set<Integer> chosen) {
    double share = (double) chosen.size() / ports.size();
    if (share == 1) {
      return;
    }
    subsets++;
    for (int i = 0; i < ports.size(); i++) {
      surplus[i] += (chosen.contains(ports.get(i)) ? 1 : 0) - share;
      variance[i] += share * (1 - share);
    }
  }

  /** How many subsets were true parts. */
  int subsets() {
    return subsets;
  }

  /** The largest distance from an even spread, in standard deviations. */
  double worst() {
    double worst = 0;
    for (int i = 0; i < PLACES; i++) {
      if (variance[i] > 0) {
        worst = Math.max(worst, Math.abs(surplus[i]) / Math.sqrt(variance[i]));
      }
    }
    return worst;
  }

  @Override
  public String toString() {
    return "%d subsets, at most %.1f standard deviations from an even spread"
        .formatted(subsets, worst());
  }
}
