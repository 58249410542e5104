package io.outrigger.http2;

import io.outrigger.base.LoopConfined;

/**
 * How many bytes of DATA may be sent: what the peer granted less what went. Below zero when the
 * peer lowers SETTINGS_INITIAL_WINDOW_SIZE under way (RFC 9113 section 6.9.2).
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
   * Widens (or narrows) the window.
   *
   * @return false if it would pass 2^31-1, a flow-control error of the peer
   */
  boolean add(int bytes) {
    if (!fits(available, bytes)) {
      return false;
    }
    available += bytes;
    return true;
  }

  /** Whether a window of {@code available} can be changed by {@code bytes}. */
  static boolean fits(int available, int bytes) {
    long sum = (long) available + bytes;
    return sum == (int) sum;
  }
}
