package io.outrigger.proxy.http2;

import io.netty.channel.EventLoop;
import io.outrigger.base.LoopConfined;
import io.outrigger.proxy.memory.MemoryLedger;
import java.util.concurrent.TimeUnit;

/**
 * The window of a connection as a whole. Streams that stand still must not use it up, since the
 * others would stand still with them: credit is returned as soon as DATA comes, and what may be
 * held is bounded by each stream's own window. Only while memory is short it is returned when the
 * bytes have gone on, so that the connection's window bounds all of its streams together.
 *
 * <p>RFC 9113 section 5.2.
 */
@LoopConfined
final class ConnectionReceiveWindow {
  /** How soon after memory is no longer short a peer may send as much as before. */
  private static final long RECHECK_MILLIS = 100;

  private final ConnectionState state;
  private final FrameWriter writer;
  private final EventLoop loop;
  private final ReceiveWindow window;
  private final MemoryLedger memory;

  /** Bytes that streams hold and whose credit has not been returned. */
  private long deferred;

  private boolean rechecking;

  ConnectionReceiveWindow(
      ConnectionState state, FrameWriter writer, EventLoop loop, ConnectionSettings settings) {
    this.state = state;
    this.writer = writer;
    this.loop = loop;
    this.window = new ReceiveWindow(settings.connectionWindow());
    this.memory = settings.memory();
  }

  /**
   * Counts DATA that came.
   *
   * @return false if the peer was not allowed to send it
   */
  boolean receive(int bytes) {
    return window.receive(bytes);
  }

  /** {@code bytes} of what came are kept by a stream. */
  void onHeld(int bytes) {
    if (!memory.isShort()) {
      giveBack(bytes);
      return;
    }
    deferred += bytes;
    if (!rechecking) {
      rechecking = true;
      recheckLater();
    }
  }

  /** {@code bytes} of what streams kept have gone on, or their stream has ended. */
  void onReleased(int bytes) {
    int due = (int) Math.min(bytes, deferred);
    deferred -= due;
    giveBack(due);
  }

  /** {@code bytes} of what came are kept by nobody. */
  void giveBack(int bytes) {
    int increment = window.giveBack(bytes);
    if (increment > 0 && !state.isEnding()) {
      writer.windowUpdate(0, increment);
    }
  }

  private void recheckLater() {
    loop.schedule(this::recheck, RECHECK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void recheck() {
    if (deferred > 0 && memory.isShort() && !state.isEnding()) {
      recheckLater();
      return;
    }
    rechecking = false;
    onReleased((int) deferred); // never above the window
  }
}
