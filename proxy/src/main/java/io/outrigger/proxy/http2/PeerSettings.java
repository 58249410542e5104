package io.outrigger.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.LoopConfined;

/** What the peer allows us (RFC 9113 section 6.5.2). */
@LoopConfined
final class PeerSettings {
  private final boolean fromServer;
  private final FrameWriter writer;
  private final StreamTable table;
  private int maxConcurrentStreams = Integer.MAX_VALUE;
  private int initialWindow = ConnectionSettings.INITIAL_WINDOW;

  PeerSettings(boolean fromServer, FrameWriter writer, StreamTable table) {
    this.fromServer = fromServer;
    this.writer = writer;
    this.table = table;
  }

  int maxConcurrentStreams() {
    return maxConcurrentStreams;
  }

  int initialWindow() {
    return initialWindow;
  }

  /** Applies a SETTINGS frame's payload in order. Windows of open streams change with it. */
  void apply(ByteBuf payload) throws ConnectionFault {
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
        case FrameType.SETTINGS_INITIAL_WINDOW_SIZE -> resizeWindows(value);
        case FrameType.SETTINGS_MAX_FRAME_SIZE -> {
          if (value < ConnectionSettings.LEAST_FRAME_SIZE || value >= 1 << 24) {
            throw new ConnectionFault(Http2Error.PROTOCOL_ERROR, "MAX_FRAME_SIZE of " + value);
          }
          writer.maxFrameSize((int) value);
        }
        // MAX_HEADER_LIST_SIZE is advice: the peer answers what it finds too large. Unknown ones
        // are ignored.
        default -> {}
      }
    }
  }

  private void resizeWindows(long value) throws ConnectionFault {
    if (value > Integer.MAX_VALUE) {
      throw new ConnectionFault(Http2Error.FLOW_CONTROL_ERROR, "INITIAL_WINDOW_SIZE of " + value);
    }
    int change = (int) (value - initialWindow);
    initialWindow = (int) value;
    for (SocketStream stream : table.snapshot()) {
      if (!stream.widenSendWindow(change)) {
        throw new ConnectionFault(Http2Error.FLOW_CONTROL_ERROR, "window passes 2^31-1");
      }
    }
  }
}
