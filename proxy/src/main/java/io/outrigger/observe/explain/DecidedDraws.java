package io.outrigger.observe.explain;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RandomSource;

/**
 * Predetermined random draws for routing. The draws for route fractions miss the first {@code
 * misses} times and hit afterwards; the draw among weighted clusters always returns {@code
 * clusterDraw}.
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
