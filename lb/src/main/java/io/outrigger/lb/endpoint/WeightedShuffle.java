package io.outrigger.lb.endpoint;

import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LocalityWeights;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Shuffles endpoints so that heavier endpoints tend to come earlier: each next endpoint is drawn
 * from the remaining endpoints with a probability in proportion to its weight (A113).
 */
final class WeightedShuffle {
  private static final long RESOLUTION = 1L << 52;

  private record Keyed(double key, Backend backend) {}

  private WeightedShuffle() {}

  static List<Backend> of(List<Backend> backends, LocalityWeights localities, RandomSource random) {
    long[] weights = localities.sharesOf(backends);
    return IntStream.range(0, weights.length)
        .mapToObj(i -> new Keyed(key(weights[i], random), backends.get(i)))
        .sorted(Comparator.comparingDouble(Keyed::key))
        .map(Keyed::backend)
        .toList();
  }

  /**
   * Draws an exponentially distributed number with rate {@code weight}: sorting by it gives the
   * same order as A113's {@code u^(1/w)}.
   */
  private static double key(long weight, RandomSource random) {
    double unit = (random.nextLong(RESOLUTION, Purpose.SHUFFLE) + 0.5) / RESOLUTION;
    return -Math.log(unit) / weight;
  }
}
