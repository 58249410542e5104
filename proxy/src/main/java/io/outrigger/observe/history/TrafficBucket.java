package io.outrigger.observe.history;

import io.outrigger.base.LoopConfined;
import io.outrigger.observe.history.TrafficView.Minute;
import java.time.Instant;
import org.HdrHistogram.IntCountsHistogram;

/**
 * The calls of one cluster or endpoint within a period. Confined to the thread that currently owns
 * the bucket.
 */
@LoopConfined
final class TrafficBucket {
  /**
   * The number of significant digits. With one digit, values have an error of at most 6 %, and a
   * histogram takes a few hundred bytes.
   */
  private static final int DIGITS = 1;

  private static final long MAX_MICROS = 3_600_000_000L;

  private final IntCountsHistogram latency = new IntCountsHistogram(DIGITS);
  private long errors;

  void record(long micros, boolean isError) {
    latency.recordValue(Math.max(0, Math.min(micros, MAX_MICROS)));
    if (isError) {
      errors++;
    }
  }

  void add(TrafficBucket other) {
    latency.add(other.latency);
    errors += other.errors;
  }

  Minute summary(Instant begin) {
    return new Minute(
        begin, latency.getTotalCount(), errors, millis(50), millis(90), millis(99), millis(100));
  }

  private double millis(double percentile) {
    return latency.getValueAtPercentile(percentile) / 1e3;
  }
}
