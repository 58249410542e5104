package io.outrigger.http2;

import io.outrigger.base.LoopConfined;

/**
 * The window of a connection as a whole. Its credit is returned as soon as DATA comes: streams that
 * stand still would else use it up, and the others would stand still with them. The window of each
 * stream bounds what is held.
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
   * Counts DATA that came, and tells the peer of more credit once half of the window is used.
   *
   * @return false if the peer was not allowed to send it
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
