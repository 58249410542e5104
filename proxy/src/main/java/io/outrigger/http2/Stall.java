package io.outrigger.http2;

import io.outrigger.base.LoopConfined;
import java.time.Duration;

/**
 * Notices that something which was begun makes no progress. It is asked now and then; nothing is
 * done, and no clock is read, when progress is made.
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
   * Whether it has stood still for longer than allowed.
   *
   * @param isBegun whether anything waits for its end
   * @param made grows with each step forward
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
