package io.outrigger.http2;

import io.outrigger.base.LoopConfined;
import java.time.Duration;

/**
 * Detects that an operation makes no progress. Progress is polled from time to time, so that an
 * operation that advances costs nothing and reads no clock.
 */
@LoopConfined
final class Stall {
  private final Duration limit;
  private boolean begun;
  private long progress;
  private long sinceNanos;

  Stall(Duration limit) {
    this.limit = limit;
  }

  /**
   * Whether the operation has made no progress for at least the limit.
   *
   * @param made a number that changes with each step of progress
   */
  boolean isOver(boolean isBegun, long made, long nowNanos) {
    if (!isBegun || !begun || made != progress) {
      begun = isBegun;
      progress = made;
      sinceNanos = nowNanos;
      return false;
    }
    return nowNanos - sinceNanos >= limit.toNanos();
  }

  long limitMillis() {
    return limit.toMillis();
  }
}
