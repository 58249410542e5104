package io.outrigger.http2;

import io.outrigger.base.LoopConfined;
import java.time.Duration;

/**
 * Detects a peer that no longer responds (A8). The time since the last byte read is measured in
 * whole seconds; the beginning or end of a call does not reset this time. {@code KeepAlive} reads
 * no clock when bytes arrive.
 *
 * <pre>
 * WATCHING -> PROBING   on nothing read for {@code time} while a stream is open: a PING is sent
 * PROBING  -> WATCHING  on a byte read
 * PROBING  -> lost      on nothing read for {@code timeout}
 * </pre>
 */
@LoopConfined
final class KeepAlive {
  private static final long PING = 0x6b656570616c6976L;

  private final FrameWriter writer;
  private final StreamTable table;
  private final Duration time;
  private final Duration timeout;

  /** In PROBING, the time of the PING; in WATCHING, the last tick before which a byte was read. */
  private long sinceNanos;

  /** Whether a byte was read since the last tick. */
  private boolean isRead;

  private boolean isProbing;
  private long sent;

  KeepAlive(FrameWriter writer, StreamTable table, long nowNanos, Duration time, Duration timeout) {
    this.writer = writer;
    this.table = table;
    this.time = time;
    this.timeout = timeout;
    sinceNanos = nowNanos;
  }

  void onRead() {
    isRead = true;
  }

  /** Called once a second; returns whether the peer is lost, so that the connection must close. */
  boolean isLost(long nowNanos) {
    Duration silence = Duration.ofNanos(nowNanos - sinceNanos);
    if (isRead) {
      isRead = false;
      isProbing = false;
      sinceNanos = nowNanos;
    } else if (isProbing) {
      return silence.compareTo(timeout) >= 0;
    } else if (silence.compareTo(time) >= 0 && table.active() > 0) {
      isProbing = true;
      sinceNanos = nowNanos;
      sent++;
      writer.ping(PING, false);
    }
    return false;
  }

  /** The number of PINGs that were sent so far. */
  long sent() {
    return sent;
  }
}
