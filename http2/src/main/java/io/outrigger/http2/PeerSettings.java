package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.LoopConfined;

/** The SETTINGS of the peer, which limit the frames of this side (RFC 9113 section 6.5.2). */
@LoopConfined
final class PeerSettings {
  /** The send windows of open streams, whose size SETTINGS_INITIAL_WINDOW_SIZE changes. */
  interface SendWindows {
    /** Adds {@code change}, which may be negative, to the send window of each open stream. */
    void resize(int change) throws ConnectionFault;
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

  /** The size of the largest header list that the peer accepts, or Long.MAX_VALUE. */
  long maxHeaderListBytes() {
    return maxHeaderListBytes;
  }

  /** Applies the settings in the payload of a SETTINGS frame in their order. */
  void apply(ByteBuf payload, SendWindows windows) throws ConnectionFault {
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
          int change = (int) value - initialWindow;
          if (change != 0) {
            initialWindow = (int) value;
            windows.resize(change);
          }
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
  }
}
