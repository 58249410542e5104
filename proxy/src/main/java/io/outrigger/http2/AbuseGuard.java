package io.outrigger.http2;

import io.netty.util.concurrent.Ticker;
import io.outrigger.base.LoopConfined;
import io.outrigger.http2.ConnectionSettings.AbuseLimits;

/**
 * Counts, per connection, work without use: streams that are reset (by the peer, or by us because
 * of its errors: CVE-2023-44487, CVE-2025-8671), and frames that carry nothing (CVE-2019-9511 and
 * following). A method returns true when the peer has exceeded a limit.
 *
 * <p>No clock is read for a frame. {@link #onTick}, called once a second, resets the counts when a
 * period has passed; so does reaching a limit. A peer can thus reach at most twice the limit in one
 * period, and useful work in an earlier period earns it nothing.
 */
@LoopConfined
final class AbuseGuard {
  /** Control frames that a useful frame pays for. */
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

  /** A stream ended by RST_STREAM from the peer, or by ours for an error of the peer. */
  boolean onReset() {
    resets++;
    return resets >= limits.resets() && resets > streams - streams / 4 && !startedAnew();
  }

  /**
   * We have reset a stream whose peer may have {@code bytes} of DATA under way, which are no use:
   * as many frames of 1 KiB are let pass beside the others.
   */
  void onDataExpected(int bytes) {
    idle -= bytes >> 10;
  }

  /**
   * A frame that changed the windows of all streams.
   *
   * @param walked how many streams there were
   * @param released how many of them may send now: each sends a frame, which counts as useful
   */
  boolean onWindowsChanged(int walked, int released) {
    return onIdleWork(walked + PER_USEFUL_FRAME * released);
  }

  /** Work that brought no content, as much as {@code frames} control frames make. */
  boolean onIdleWork(int frames) {
    idle += frames;
    return idle > limits.controlFrames() + PER_USEFUL_FRAME * useful && !startedAnew();
  }

  /** Time has passed. */
  void onTick(long nowNanos) {
    startedAnew(nowNanos);
  }

  private boolean startedAnew() {
    return startedAnew(ticker.nanoTime());
  }

  private boolean startedAnew(long now) {
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
