package io.outrigger.dataplane.calls;

import io.outrigger.base.AnyThread;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/** A histogram with the sum of its values. One thread writes; any thread may read. */
@AnyThread
public final class Histogram {
  private static final int BUCKETS_PER_POWER = 16;
  private static final int FINE_BUCKETS = 592;

  /**
   * Bounds for durations in nanoseconds, up to 12 days. Buckets are 1 µs wide up to 31 µs; then the
   * width doubles after every 16 buckets. Values above 15 µs in one bucket differ by at most 7 %.
   */
  static final long[] FINE_NANOS = fineNanos();

  private final long[] bounds;

  /** The counts of the buckets, the count of values above the last bound, and the sum of values. */
  private final AtomicLongArray counts;

  /** The bucket of the last value; the next value is often in the same bucket. */
  private int last;

  /**
   * @param bounds inclusive upper bounds in ascending order; must not change
   */
  public Histogram(long[] bounds) {
    this.bounds = bounds;
    counts = new AtomicLongArray(bounds.length + 2);
  }

  private static long[] fineNanos() {
    long[] bounds = new long[FINE_BUCKETS];
    long micros = 0;
    for (int i = 0; i < bounds.length; i++) {
      bounds[i] = micros * 1_000;
      micros += Math.max(1, Long.highestOneBit(micros + 1) / BUCKETS_PER_POWER);
    }
    return bounds;
  }

  public void record(long value) {
    int bucket = last;
    if (value > bound(bucket) || (bucket > 0 && value <= bounds[bucket - 1])) {
      int index = Arrays.binarySearch(bounds, value);
      bucket = Math.max(index, -index - 1); // the first bound that is not less than value
      last = bucket;
    }
    add(bucket, 1);
    add(bounds.length + 1, value);
  }

  /**
   * Adds the counts and the sum of another histogram, whose buckets may be different. Each added
   * value counts as the upper bound of the bucket that contained it.
   */
  public void add(Histogram other) {
    int bucket = 0;
    for (int i = 0; i < other.buckets(); i++) {
      while (bucket < bounds.length && bounds[bucket] < other.bound(i)) {
        bucket++;
      }
      add(bucket, other.count(i));
    }
    add(bounds.length + 1, other.sum());
  }

  private void add(int slot, long more) {
    counts.setOpaque(slot, counts.getPlain(slot) + more);
  }

  /** Returns an empty histogram with the bucket bounds of this histogram. */
  public Histogram empty() {
    return new Histogram(bounds);
  }

  /** The number of buckets; the last bucket has no upper bound. */
  public int buckets() {
    return bounds.length + 1;
  }

  /** The inclusive upper bound of a bucket; {@code Long.MAX_VALUE} for the last bucket. */
  public long bound(int bucket) {
    return bucket < bounds.length ? bounds[bucket] : Long.MAX_VALUE;
  }

  /** The count of one bucket, not cumulative. */
  public long count(int bucket) {
    return counts.getOpaque(bucket);
  }

  public long sum() {
    return counts.getOpaque(bounds.length + 1);
  }
}
