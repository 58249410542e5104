package io.outrigger.lb.endpoint.weighted;

import io.outrigger.base.AnyThread;

/**
 * Schedules the turns of endpoints by weight. Each round offers one turn to every endpoint. Of
 * {@link #MAX_WEIGHT} rounds, an endpoint of weight {@code w} takes its turn in {@code w} rounds,
 * at even intervals: a sum grows by {@code w} in each round, and the endpoint takes its turn when
 * the sum passes a multiple of {@code MAX_WEIGHT}. The sums of the endpoints start at different
 * numbers, which avoids bursts of endpoints of equal weight.
 *
 * <p>Weights are scaled so that the largest weight is {@code MAX_WEIGHT}. Each weight is limited to
 * the range from a tenth of the mean to ten times the mean. Without these limits, a wrong report
 * could attract all calls, and most turns could be skipped. An endpoint without weight gets the
 * mean weight.
 */
@AnyThread
final class StaticStride {
  private static final int MAX_WEIGHT = 0xFFFF;
  private static final double LARGEST_RATIO = 10;
  private static final double SMALLEST_RATIO = 0.1;

  private final int[] weights;

  private StaticStride(int[] weights) {
    this.weights = weights;
  }

  /**
   * @param weights one weight per endpoint, not empty; zero means that the endpoint has no weight
   */
  static StaticStride of(double[] weights) {
    double sum = 0;
    double largest = 0;
    int known = 0;
    for (double weight : weights) {
      if (weight > 0) {
        sum += weight;
        largest = Math.max(largest, weight);
        known++;
      }
    }
    double mean = known == 0 ? 1 : sum / known;
    double cap = known == 0 ? 1 : Math.min(largest, LARGEST_RATIO * mean);
    double scale = MAX_WEIGHT / cap;
    int least = Math.max(1, (int) Math.ceil(scale * mean * SMALLEST_RATIO));
    int[] scaled = new int[weights.length];
    for (int i = 0; i < weights.length; i++) {
      long whole = Math.round(scale * (weights[i] > 0 ? Math.min(weights[i], cap) : mean));
      scaled[i] = (int) Math.min(MAX_WEIGHT, Math.max(least, whole));
    }
    return new StaticStride(scaled);
  }

  /**
   * Returns the index of the endpoint that takes the turn with a given number, or -1 if the
   * endpoint skips the turn. The number of a skipped turn is not used again.
   */
  int turn(long sequence) {
    int index = (int) (sequence % weights.length);
    long round = sequence / weights.length;
    int weight = weights[index];
    long offset = (long) (MAX_WEIGHT / 2) * index;
    return (weight * round + offset) % MAX_WEIGHT < MAX_WEIGHT - weight ? -1 : index;
  }

  /** Returns the probability that a pick selects the endpoint. */
  double share(int index) {
    long sum = 0;
    for (int weight : weights) {
      sum += weight;
    }
    return weights[index] / (double) sum;
  }
}
