package io.outrigger.observe.explain;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RandomSource;

/**
 * Predetermined random draws for routing. A given number of draws for route fractions miss, and all
 * later ones hit; the draw among weighted clusters returns a given value.
 */
@ControlConfined
final class DecidedDraws implements RandomSource {
  private final int misses;
  private final long clusterDraw;
  private int shares;

  DecidedDraws(int misses, long clusterDraw) {
    this.misses = misses;
    this.clusterDraw = clusterDraw;
  }

  @Override
  public long nextLong(long bound, Purpose purpose) {
    return switch (purpose) {
      case ROUTE_FRACTION -> shares++ < misses ? bound - 1 : 0;
      case CLUSTER_WEIGHT -> clusterDraw;
      default -> throw new IllegalStateException("routing draws no " + purpose);
    };
  }
}
