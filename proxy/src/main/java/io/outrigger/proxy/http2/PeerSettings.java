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
    if (least != most) {
      resizeWindows(least, most, last);
    }
  }

  /**
   * Every value in a frame takes effect (section 6.5.3), and none may carry a window too far. One
   * look at each stream does, however many values a frame has.
   */
  private void resizeWindows(int least, int most, int last) throws ConnectionFault {
    int before = initialWindow;
    initialWindow = last;
    for (SocketStream stream : table.snapshot()) {
      if (!SendWindow.fits(stream.sendWindow(), least - before)
          || !SendWindow.fits(stream.sendWindow(), most - before)
          || !stream.widenSendWindow(last - before)) {
        throw new ConnectionFault(Http2Error.FLOW_CONTROL_ERROR, "window passes 2^31-1");
      }
    }
  }
}
