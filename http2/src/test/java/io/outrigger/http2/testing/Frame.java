package io.outrigger.http2.testing;

import io.outrigger.http2.FrameType;
import io.outrigger.http2.Http2Error;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** One frame that was read. */
@SuppressWarnings("ArrayRecordComponent") // never compared by equals
public record Frame(int type, int flags, int streamId, byte[] payload) {
  private static final String[] NAMES = {
    "DATA",
    "HEADERS",
    "PRIORITY",
    "RST_STREAM",
    "SETTINGS",
    "PUSH_PROMISE",
    "PING",
    "GOAWAY",
    "WINDOW_UPDATE",
    "CONTINUATION"
  };

  public boolean endsStream() {
    return type <= FrameType.HEADERS && (flags & FrameType.FLAG_END_STREAM) != 0;
  }

  public boolean isAck() {
    return (type == FrameType.SETTINGS || type == FrameType.PING)
        && (flags & FrameType.FLAG_ACK) != 0;
  }

  public int number(int offset) {
    return ByteBuffer.wrap(payload).getInt(offset);
  }

  public String text() {
    return new String(payload, StandardCharsets.ISO_8859_1);
  }

  /** Examples: {@code RST_STREAM 1 CANCEL}, {@code GOAWAY 5 NO_ERROR}, {@code DATA 1 (3) end}. */
  @Override
  public String toString() {
    String name = type < NAMES.length ? NAMES[type] : "TYPE-" + type;
    return switch (type) {
      case FrameType.RST_STREAM -> name + " " + streamId + " " + Http2Error.ofCode(number(0));
      case FrameType.GOAWAY -> name + " " + number(0) + " " + Http2Error.ofCode(number(4));
      case FrameType.WINDOW_UPDATE -> name + " " + streamId + " " + number(0);
      case FrameType.SETTINGS, FrameType.PING -> isAck() ? name + " ack" : name;
      default ->
          name
              + " "
              + streamId
              + (type == FrameType.DATA ? " (" + payload.length + ")" : "")
              + (endsStream() ? " end" : "");
    };
  }
}
