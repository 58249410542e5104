package io.outrigger.proxy.forward;

import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Durations of calls in log-linear buckets: 16 per power of two of microseconds, so at most 6 %
 * off. One loop writes, anybody reads.
 */
@AnyThread
final class LatencyHistogram {
  private static final int SUB_BITS = 4;
  private static final int SUBS = 1 << SUB_BITS;
  private static final int MAX_BITS = 40; // 12 days
  static final int BUCKETS = (MAX_BITS - SUB_BITS + 1) * SUBS;

  private final AtomicLongArray counts = new AtomicLongArray(BUCKETS);

  void record(long nanos) {
    int bucket = bucketOf(nanos / 1_000);
    counts.setOpaque(bucket, counts.getPlain(bucket) + 1);
  }

  void addTo(long[] sum) {
    for (int i = 0; i < BUCKETS; i++) {
      sum[i] += counts.getOpaque(i);
    }
  }

  static int bucketOf(long micros) {
    if (micros < SUBS) {
      return (int) Math.max(0, micros);
    }
    int top = Math.min(63 - Long.numberOfLeadingZeros(micros), MAX_BITS - 1);
    long value = Math.min(micros, (1L << MAX_BITS) - 1);
    int sub = (int) (value >> (top - SUB_BITS)) & (SUBS - 1);
    return (top - SUB_BITS + 1) * SUBS + sub;
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
