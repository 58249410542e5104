package io.outrigger.http2;

import io.netty.util.concurrent.Ticker;
import io.outrigger.base.LoopConfined;
import io.outrigger.http2.ConnectionSettings.AbuseLimits;

/**
 * Counts useless work per connection: streams that are reset by the peer, or by this side because
 * of the peer's errors (CVE-2023-44487, CVE-2025-8671), and frames without content (CVE-2019-9511
 * and following). A method returns true when the peer has exceeded a limit.
 *
 * <p>The clock is not read for each frame. The counts are reset when a period has passed, which is
 * checked by {@link #onTick} once a second and when a limit is reached. A peer can thus cause at
 * most twice the limit in one period, and useful work in an earlier period is not credited to it.
 */
@LoopConfined
final class AbuseGuard {
  /** The number of control frames that are allowed for each useful frame. */
  private static final int PER_USEFUL_FRAME = 8;

  private final AbuseLimits limits;
  private final Ticker ticker;
  private long sinceNanos;
  private int streams;
  private int resets;
  private long useful;
  private long idle;

  AbuseGuard(AbuseLimits limits, Ticker ticker) {
    this.limits = limits;
    this.ticker = ticker;
    this.sinceNanos = ticker.nanoTime();
  }

  void onStream() {
    streams++;
    useful++;
  }

  void onUsefulFrame() {
    useful++;
  }

  /**
   * Counts a stream that was reset by the peer, or by this side because of an error of the peer.
   */
  boolean onReset() {
    resets++;
    return resets >= limits.resets() && resets > streams - streams / 4 && !resetIfPeriodPassed();
  }

  /**
   * Called when this side has reset a stream while up to {@code bytes} of DATA may be in flight.
   * Such DATA counts as useless, so one additional frame is allowed for each KiB.
   */
  void onDataExpected(int bytes) {
    idle -= bytes >> 10;
  }

  /**
   * Counts a frame that changed the windows of all streams.
   *
   * @param walked the number of streams whose window was changed
   * @param released the number of streams that can send now; each sends a frame, which counts as
   *     useful
   */
  boolean onWindowsChanged(int walked, int released) {
    return onIdleWork(walked + PER_USEFUL_FRAME * released);
  }

  /** Counts work without content that is equivalent to {@code frames} control frames. */
  boolean onIdleWork(int frames) {
    idle += frames;
    return idle > limits.controlFrames() + PER_USEFUL_FRAME * useful && !resetIfPeriodPassed();
  }

  /** Resets the counts if the period has passed. */
  void onTick(long nowNanos) {
    resetIfPeriodPassed(nowNanos);
  }

  private boolean resetIfPeriodPassed() {
    return resetIfPeriodPassed(ticker.nanoTime());
  }

  private boolean resetIfPeriodPassed(long now) {
    if (now - sinceNanos < limits.period().toNanos()) {
      return false;
    }
    sinceNanos = now;
    streams = 0;
    resets = 0;
    useful = 0;
    idle = 0;
    return true;
  }
}
