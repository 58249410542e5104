package io.outrigger.lb.endpoint.weighted;

import io.outrigger.base.AnyThread;

/**
 * Spreads turns by weight, evenly over time and without state: in round {@code g} an endpoint of
 * weight {@code w}, of at most {@link #MOST}, has its turn when {@code w * g} passes a multiple of
 * {@code MOST}. Each endpoint starts at another offset, so that equal ones do not come in bursts.
 *
 * <p>Weights are scaled so that the largest is {@code MOST}. None counts for more than ten times or
 * less than a tenth of the mean: one report that is far off must not take all calls, and there are
 * few rounds without a turn. An endpoint without a weight counts for the mean.
 */
@AnyThread
final class StaticStride {
  private static final int MOST = 0xFFFF;
  private static final double LARGEST_RATIO = 10;
  private static final double SMALLEST_RATIO = 0.1;

  private final int[] weights;

  private StaticStride(int[] weights) {
    this.weights = weights;
  }

  /**
   * @param weights at least one; zero for an endpoint without a weight
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
    double scale = MOST / cap;
    int least = Math.max(1, (int) Math.ceil(scale * mean * SMALLEST_RATIO));
    int[] scaled = new int[weights.length];
    for (int i = 0; i < weights.length; i++) {
      long whole = Math.round(scale * (weights[i] > 0 ? Math.min(weights[i], cap) : mean));
      scaled[i] = (int) Math.min(MOST, Math.max(least, whole));
    }
    return new StaticStride(scaled);
  }

  /** The endpoint whose turn {@code sequence} is, a number that counts up; -1 for none. */
  int turn(long sequence) {
    int index = (int) (sequence % weights.length);
    long round = sequence / weights.length;
    int weight = weights[index];
    long offset = (long) (MOST / 2) * index;
    return (weight * round + offset) % MOST < MOST - weight ? -1 : index;
  }

  /** The share of all turns that an endpoint has. */
  double share(int index) {
    long sum = 0;
    for (int weight : weights) {
      sum += weight;
    }
    return weights[index] / (double) sum;
  }
}
