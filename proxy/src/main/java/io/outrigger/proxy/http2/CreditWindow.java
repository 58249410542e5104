package io.outrigger.proxy.http2;

import io.outrigger.base.LoopConfined;

/**
 * How many bytes of DATA the peer may send us, and the credit that waits to be returned to it.
 * Credit is told at half a window, so that WINDOW_UPDATE costs little and never starves the peer.
 */
@LoopConfined
final class CreditWindow {
  private final int size;
  private int available;
  private int returned;

  /** {@code available} starts above {@code size} while the peer may not know the latter yet. */
  CreditWindow(int size, int available) {
    this.size = size;
    this.available = available;
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

  /** The peer learned of a smaller window than it began with. */
  void shrink(int bytes) {
    available -= bytes;
  }

  /**
   * Counts bytes that have gone on.
   *
   * @return the increment to send now in a WINDOW_UPDATE, or 0 while it can wait
   */
  int giveBack(int bytes) {
    returned += bytes;
    if (returned == 0 || returned < (size + 1) / 2) {
      return 0;
    }
    int increment = returned;
    returned = 0;
    available += increment;
    return increment;
  }
}
