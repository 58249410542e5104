package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.LoopConfined;

/** The SETTINGS of the peer, which limit what this side may send (RFC 9113 section 6.5.2). */
@LoopConfined
final class PeerSettings {
  /** The send windows of open streams, which SETTINGS_INITIAL_WINDOW_SIZE changes. */
  interface SendWindows {
    /**
     * Changes the windows of open streams. A frame may have several values of
     * SETTINGS_INITIAL_WINDOW_SIZE; the parameters are changes against the value before the frame.
     *
     * @param least the change to the smallest value in the frame
     * @param most the change to the largest value in the frame
     * @param last the change to the last value in the frame, which stays in effect
     */
    void resize(int least, int most, int last) throws ConnectionFault;
  }

  private final boolean fromServer;
  private final FrameWriter writer;
  private int maxConcurrentStreams = Integer.MAX_VALUE;
  private int initialWindow = ConnectionSettings.INITIAL_WINDOW;
  private long maxHeaderListBytes = Long.MAX_VALUE;

  PeerSettings(boolean fromServer, FrameWriter writer) {
    this.fromServer = fromServer;
    this.writer = writer;
  }

  int maxConcurrentStreams() {
    return maxConcurrentStreams;
  }

  int initialWindow() {
    return initialWindow;
  }

  /**
   * The size of the largest header list that the peer accepts; Long.MAX_VALUE when the peer has set
   * no limit.
   */
  long maxHeaderListBytes() {
    return maxHeaderListBytes;
  }

  /** Applies a SETTINGS frame's payload in order. */
  void apply(ByteBuf payload, SendWindows windows) throws ConnectionFault {
    int least = initialWindow;
    int most = initialWindow;
    int last = initialWindow;
    while (payload.isReadable()) {
      int id = payload.readUnsignedShort();
      long value = payload.readUnsignedInt();
      switch (id) {
        case FrameType.SETTINGS_HEADER_TABLE_SIZE -> writer.hpack().maxTableSize(value);
        case FrameType.SETTINGS_ENABLE_PUSH -> {
          if (value > 1 || (fromServer && value == 1)) {
            throw new ConnectionFault(Http2Error.PROTOCOL_ERROR, "ENABLE_PUSH of " + value);
          }
        }
        case FrameType.SETTINGS_MAX_CONCURRENT_STREAMS ->
            maxConcurrentStreams = (int) Math.min(value, Integer.MAX_VALUE);
        case FrameType.SETTINGS_INITIAL_WINDOW_SIZE -> {
          if (value > Integer.MAX_VALUE) {
            throw new ConnectionFault(
                Http2Error.FLOW_CONTROL_ERROR, "INITIAL_WINDOW_SIZE of " + value);
          }
          last = (int) value;
          least = Math.min(least, last);
          most = Math.max(most, last);
        }
        case FrameType.SETTINGS_MAX_FRAME_SIZE -> {
          if (value < ConnectionSettings.FRAME_SIZE || value >= 1 << 24) {
            throw new ConnectionFault(Http2Error.PROTOCOL_ERROR, "MAX_FRAME_SIZE of " + value);
          }
          writer.maxFrameSize((int) value);
        }
        case FrameType.SETTINGS_MAX_HEADER_LIST_SIZE -> maxHeaderListBytes = value;
        default -> {} // unknown settings are ignored
      }
    }
    if (least != most) {
      int before = initialWindow;
      initialWindow = last;
      windows.resize(least - before, most - before, last - before);
    }
  }
}
