package io.outrigger.http2;

import io.outrigger.base.LoopConfined;

/**
 * The number of bytes of DATA that may be sent: bytes granted by the peer minus bytes sent. The
 * number is negative after the peer has lowered SETTINGS_INITIAL_WINDOW_SIZE below the bytes in
 * flight (RFC 9113 section 6.9.2).
 */
@LoopConfined
final class SendWindow {
  private int available;

  SendWindow(int initial) {
    available = initial;
  }

  int available() {
    return available;
  }

  void take(int bytes) {
    if (bytes > available) {
      throw new IllegalStateException("window of " + available + " is asked for " + bytes);
    }
    available -= bytes;
  }

  /**
   * Changes the window by {@code bytes}, which may be negative.
   *
   * @return false if the window would exceed 2^31-1, a flow-control error of the peer
   */
  boolean add(int bytes) {
    if (!fits(available, bytes)) {
      return false;
    }
    available += bytes;
    return true;
  }

  /**
   * Whether a window of {@code available} bytes can change by {@code bytes} without exceeding
   * 2^31-1.
   */
  static boolean fits(int available, int bytes) {
    long sum = (long) available + bytes;
    return sum == (int) sum;
  }
}
