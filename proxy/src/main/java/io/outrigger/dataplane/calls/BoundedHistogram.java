package io.outrigger.dataplane.calls;

import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.AtomicLongArray;

/** Values counted in buckets of given bounds, with their sum. One loop writes, anybody reads. */
@AnyThread
final class BoundedHistogram {
  private final long[] bounds;
  private final AtomicLongArray counts;

  /**
   * @param bounds upper, inclusive, ascending; shared, not modified
   */
  BoundedHistogram(long[] bounds) {
    this.bounds = bounds;
    counts = new AtomicLongArray(bounds.length + 2); // above the last bound; the sum
  }

  void record(long value) {
    int bucket = 0;
    while (bucket < bounds.length && bounds[bucket] < value) { // most values stand in front
      bucket++;
    }
    add(bucket, 1);
    add(bounds.length + 1, value);
  }

  private void add(int slot, long more) {
    counts.setOpaque(slot, counts.getPlain(slot) + more);
  }

  /** Adds the counts of each bucket alone, then the sum, to {@code into}. */
  void addTo(long[] into) {
    for (int i = 0; i < into.length; i++) {
      into[i] += counts.getOpaque(i);
    }
  }
}
