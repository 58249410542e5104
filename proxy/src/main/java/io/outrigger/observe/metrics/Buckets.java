package io.outrigger.observe.metrics;

import io.outrigger.base.ControlConfined;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import java.util.List;

/** A histogram that is being recorded. */
@ControlConfined
final class Buckets {
  private final List<Double> bounds;
  private final long[] counts;
  private double sum;

  /**
   * @param bounds inclusive upper bounds, ascending; one more bucket lies above the last bound
   */
  Buckets(List<Double> bounds) {
    this(bounds, new long[bounds.size() + 1], 0);
  }

  private Buckets(List<Double> bounds, long[] counts, double sum) {
    this.bounds = bounds;
    this.counts = counts;
    this.sum = sum;
  }

  void record(double value) {
    int bucket = 0;
    while (bucket < bounds.size() && value > bounds.get(bucket)) {
      bucket++;
    }
    counts[bucket]++;
    sum += value;
  }

  /** Returns the values so far, which do not change any more. */
  Buckets copy() {
    return new Buckets(bounds, counts.clone(), sum);
  }

  ClassicHistogramBuckets counts() {
    var buckets = ClassicHistogramBuckets.builder();
    for (int i = 0; i < counts.length; i++) {
      buckets.bucket(i < bounds.size() ? bounds.get(i) : Double.POSITIVE_INFINITY, counts[i]);
    }
    return buckets.build();
  }

  double sum() {
    return sum;
  }
}
