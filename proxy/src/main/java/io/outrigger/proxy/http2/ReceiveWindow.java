package io.outrigger.proxy.http2;

import io.outrigger.base.LoopConfined;

/**
 * How many bytes of DATA the peer may send us on all streams of a connection, and the credit that
 * waits to be returned to it.
 *
 * <p>Credit is told when the peer has no more left than waits here. That is at half a window, so
 * that WINDOW_UPDATE costs little; or earlier: bytes of streams that stand still are never
 * returned, and with more than half a window of them the other half would not be reached.
 */
@LoopConfined
final class ReceiveWindow {
  /** What is told early is at least such a part of the window. */
  private static final int EARLY_PARTS = 16;

  private final int size;
  private int available;
  private int returned;

  ReceiveWindow(int size) {
    this.size = size;
    this.available = size;
  }

  /**
   * Counts DATA that came.
   *
   * @return false if the peer was not allowed to send it
   */
  boolean receive(int bytes) {
    if (bytes > available) {
      return false;
    }
    available -= bytes;
    return true;
  }

  /**
   * Counts bytes that have gone on.
   *
   * @return the increment to send now in a WINDOW_UPDATE, or 0 while it can wait
   */
  int giveBack(int bytes) {
    returned += bytes;
    if (returned < available || returned < size / EARLY_PARTS) {
      return 0;
    }
    int increment = returned;
    returned = 0;
    available += increment;
    return increment;
  }
}
