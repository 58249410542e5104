package io.outrigger.http2;

import io.outrigger.base.LoopConfined;

/**
 * The receive window of a connection. Credit is returned as soon as DATA is received: otherwise
 * stalled streams would use up the window and stall all other streams. The window of each stream
 * bounds the memory that is held.
 *
 * <p>RFC 9113 section 5.2.
 */
@LoopConfined
final class ConnectionReceiveWindow {
  private final ConnectionState state;
  private final FrameWriter writer;
  private final int size;
  private int available;

  ConnectionReceiveWindow(ConnectionState state, FrameWriter writer, int size) {
    this.state = state;
    this.writer = writer;
    this.size = size;
    available = size;
  }

  /**
   * Counts received DATA, and sends a WINDOW_UPDATE once half of the window is used.
   *
   * @return false if the DATA exceeds the window
   */
  boolean receive(int bytes) {
    if (bytes > available) {
      return false;
    }
    available -= bytes;
    int used = size - available;
    if (used > 0 && used >= available && !state.isEnding()) {
      available = size;
      writer.windowUpdate(0, used);
    }
    return true;
  }
}
