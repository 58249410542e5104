package io.outrigger.dataplane.calls;

import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A histogram of values with given bucket bounds, and their sum. One event loop writes; any thread
 * may read.
 */
@AnyThread
final class BoundedHistogram {
  private final long[] bounds;
  private final AtomicLongArray counts;

  /**
   * @param bounds the inclusive upper bounds in ascending order; the array is shared and never
   *     modified
   */
  BoundedHistogram(long[] bounds) {
    this.bounds = bounds;
    counts = new AtomicLongArray(bounds.length + 2); // plus an unbounded bucket and the sum
  }

  void record(long value) {
    int bucket = 0;
    while (bucket < bounds.length && bounds[bucket] < value) { // most values are small
      bucket++;
    }
    add(bucket, 1);
    add(bounds.length + 1, value);
  }

  private void add(int slot, long more) {
    counts.setOpaque(slot, counts.getPlain(slot) + more);
  }

  /**
   * Adds the count of each bucket to the elements of the array, and the sum of all values to the
   * last element.
   */
  void addTo(long[] into) {
    for (int i = 0; i < into.length; i++) {
      into[i] += counts.getOpaque(i);
    }
  }
}
