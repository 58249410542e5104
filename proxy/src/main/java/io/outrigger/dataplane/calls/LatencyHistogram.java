package io.outrigger.dataplane.calls;

import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A histogram of call durations with log-linear buckets: 16 buckets per power of two of
 * microseconds, so the error is at most 6 %. One event loop writes; any thread may read.
 */
@AnyThread
final class LatencyHistogram {
  private static final int SUB_BITS = 4;
  private static final int SUBS = 1 << SUB_BITS;
  private static final int MAX_BITS = 40; // 12 days
  static final int BUCKETS = (MAX_BITS - SUB_BITS + 1) * SUBS;

  private static final int SUM = BUCKETS;

  /** The count of each bucket, followed by the sum of all durations in nanoseconds. */
  private final AtomicLongArray counts = new AtomicLongArray(BUCKETS + 1);

  void record(long nanos) {
    int bucket = bucketOf(nanos / 1_000);
    counts.setOpaque(bucket, counts.getPlain(bucket) + 1);
    counts.setOpaque(SUM, counts.getPlain(SUM) + nanos);
  }

  void addTo(long[] sum) {
    for (int i = 0; i < BUCKETS; i++) {
      sum[i] += counts.getOpaque(i);
    }
  }

  /** The sum of all durations. */
  long sumNanos() {
    return counts.getOpaque(SUM);
  }

  /**
   * Adds the counts to coarser buckets. Each bucket is added as a whole to the coarser bucket of
   * its largest value.
   *
   * @param boundsNanos the inclusive upper bounds in ascending order
   * @param into one count per bound, one for larger values, then the sum
   */
  void addTo(long[] boundsNanos, long[] into) {
    int coarse = 0;
    for (int i = 0; i < BUCKETS; i++) {
      long count = counts.getOpaque(i);
      while (coarse < boundsNanos.length && upperMicros(i) * 1_000 > boundsNanos[coarse]) {
        coarse++;
      }
      into[coarse] += count;
    }
    into[into.length - 1] += sumNanos();
  }

  /**
   * Returns the bucket of a duration. The code has no branches: the JIT compiler does not compile
   * branches that were never taken, and discards the compiled code when such a branch is taken.
   */
  static int bucketOf(long micros) {
    long value = Math.max(0, Math.min(micros, (1L << MAX_BITS) - 1));
    int bits = Long.SIZE - Long.numberOfLeadingZeros(value);
    int shift = Math.max(0, bits - 1 - SUB_BITS);
    return shift * SUBS + (int) (value >> shift);
  }

  /** The largest value of a bucket, in microseconds. */
  static long upperMicros(int bucket) {
    if (bucket < SUBS) {
      return bucket;
    }
    int shift = bucket / SUBS - 1;
    return ((SUBS + bucket % SUBS + 1L) << shift) - 1;
  }
}
