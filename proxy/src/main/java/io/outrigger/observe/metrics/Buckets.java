package io.outrigger.observe.metrics;

import io.outrigger.base.ControlConfined;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Arrays;
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
    this.bounds = bounds;
    counts = new long[bounds.size() + 1];
  }

  /**
   * The recorded values.
   *
   * @param counts the count of each bucket, not cumulative
   */
  @SuppressWarnings("ArrayRecordComponent") // the values are never compared
  record Counts(List<Double> bounds, long[] counts, double sum) {
    HistogramDataPointSnapshot point(Labels labels) {
      var buckets = ClassicHistogramBuckets.builder();
      for (int i = 0; i < counts.length; i++) {
        buckets.bucket(i < bounds.size() ? bounds.get(i) : Double.POSITIVE_INFINITY, counts[i]);
      }
      return HistogramDataPointSnapshot.builder()
          .labels(labels)
          .classicHistogramBuckets(buckets.build())
          .sum(sum)
          .build();
    }
  }

  void record(double value) {
    int bucket = 0;
    while (bucket < bounds.size() && value > bounds.get(bucket)) {
      bucket++;
    }
    counts[bucket]++;
    sum += value;
  }

  Counts counts() {
    return new Counts(bounds, Arrays.copyOf(counts, counts.length), sum);
  }
}
