package io.outrigger.http2;

import io.netty.util.concurrent.Ticker;
import io.outrigger.base.LoopConfined;
import io.outrigger.http2.ConnectionSettings.AbuseLimits;
import java.util.function.IntConsumer;

/**
 * Counts useless work that a peer causes on one connection. Useless work consists of streams that
 * the peer resets, streams that this side resets because of an error of the peer (CVE-2023-44487,
 * CVE-2025-8671), and frames without content (CVE-2019-9511 and following). Each counting method
 * throws a connection error when a limit is exceeded. Frames without content also count as work of
 * the event loop's turn ({@link LoopTurn.Mark#onWork}).
 *
 * <p>The counts are reset after each period. {@link #onTick} is called once a second and when a
 * limit is reached, so that the clock is not read for each frame. In any interval of one period's
 * length, a peer can cause at most twice the useless work that is allowed per period.
 */
@LoopConfined
final class AbuseGuard {
  private static final int CONTROL_FRAMES_PER_USEFUL_FRAME = 8;

  private final boolean server;
  private final AbuseLimits limits;
  private final Ticker ticker;
  private final IntConsumer workOfTurn;
  private long periodStartNanos;
  private int streams;
  private int resets;
  private long useful;
  private long idle;

  AbuseGuard(boolean server, AbuseLimits limits, Ticker ticker, IntConsumer workOfTurn) {
    this.server = server;
    this.limits = limits;
    this.ticker = ticker;
    this.workOfTurn = workOfTurn;
    this.periodStartNanos = ticker.nanoTime();
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
   * Resets by backends are not limited here, but by the layers above.
   */
  void onReset() throws ConnectionFault {
    resets++;
    if (server
        && resets >= limits.resets()
        && resets > streams - streams / 4
        && !onTick(ticker.nanoTime())) {
      throw new ConnectionFault(Http2Error.ENHANCE_YOUR_CALM, "too many streams are reset");
    }
  }

  /**
   * Called when this side has reset a stream on which the peer may still send {@code bytes} of
   * DATA. DATA after a reset counts as useless, so each KiB allows one more useless frame.
   */
  void onDataExpected(int bytes) {
    idle -= bytes >> 10;
  }

  /**
   * Counts a frame that changed the windows of all streams.
   *
   * @param senders the number of streams that can send because of the change. Each of them sends a
   *     DATA frame, which is a useful frame
   */
  void onWindowsChanged(int windows, int senders) throws ConnectionFault {
    onIdleWork(windows + CONTROL_FRAMES_PER_USEFUL_FRAME * senders);
  }

  void onIdleFrame() throws ConnectionFault {
    onIdleWork(1);
  }

  /** Counts work that is as expensive as the given number of frames without content. */
  void onIdleWork(int frames) throws ConnectionFault {
    idle += frames;
    workOfTurn.accept(frames);
    long allowed = limits.controlFrames() + CONTROL_FRAMES_PER_USEFUL_FRAME * useful;
    if (idle > allowed && !onTick(ticker.nanoTime())) {
      throw new ConnectionFault(Http2Error.ENHANCE_YOUR_CALM, "too many frames without content");
    }
  }

  /** If the period has passed, resets the counts and returns true. */
  boolean onTick(long nowNanos) {
    if (nowNanos - periodStartNanos < limits.period().toNanos()) {
      return false;
    }
    periodStartNanos = nowNanos;
    streams = 0;
    resets = 0;
    useful = 0;
    idle = 0;
    return true;
  }
}
