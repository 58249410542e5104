package io.outrigger.http2.testing;

import io.outrigger.http2.FrameType;
import io.outrigger.http2.Http2Error;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Frames as bytes, valid or invalid: nothing is checked here. */
public final class Frames {
  public static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  public static final int DATA = FrameType.DATA;
  public static final int HEADERS = FrameType.HEADERS;
  public static final int PRIORITY = FrameType.PRIORITY;
  public static final int RST_STREAM = FrameType.RST_STREAM;
  public static final int SETTINGS = FrameType.SETTINGS;
  public static final int PUSH_PROMISE = FrameType.PUSH_PROMISE;
  public static final int PING = FrameType.PING;
  public static final int GOAWAY = FrameType.GOAWAY;
  public static final int WINDOW_UPDATE = FrameType.WINDOW_UPDATE;
  public static final int CONTINUATION = FrameType.CONTINUATION;

  public static final int HEADER_TABLE_SIZE = FrameType.SETTINGS_HEADER_TABLE_SIZE;
  public static final int MAX_CONCURRENT_STREAMS = FrameType.SETTINGS_MAX_CONCURRENT_STREAMS;
  public static final int INITIAL_WINDOW_SIZE = FrameType.SETTINGS_INITIAL_WINDOW_SIZE;
  public static final int MAX_FRAME_SIZE = FrameType.SETTINGS_MAX_FRAME_SIZE;
  public static final int MAX_HEADER_LIST_SIZE = FrameType.SETTINGS_MAX_HEADER_LIST_SIZE;

  public static final int PADDED = FrameType.FLAG_PADDED;
  public static final int END_STREAM = FrameType.FLAG_END_STREAM;
  public static final int END_HEADERS = FrameType.FLAG_END_HEADERS;

  private Frames() {}

  public static byte[] join(byte[]... parts) {
    var out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  public static byte[] repeat(int times, byte[] part) {
    var out = new ByteArrayOutputStream();
    for (int i = 0; i < times; i++) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  public static byte[] frame(int type, int flags, int streamId, byte... payload) {
    return ByteBuffer.allocate(9 + payload.length)
        .putInt(payload.length << 8 | type)
        .put((byte) flags)
        .putInt(streamId)
        .put(payload)
        .array();
  }

  public static byte[] data(int streamId, int flags, byte... payload) {
    return frame(FrameType.DATA, flags, streamId, payload);
  }

  public static byte[] settings(int... idsAndValues) {
    var payload = ByteBuffer.allocate(idsAndValues.length * 3);
    for (int i = 0; i < idsAndValues.length; i += 2) {
      payload.putShort((short) idsAndValues[i]).putInt(idsAndValues[i + 1]);
    }
    return frame(FrameType.SETTINGS, 0, 0, payload.array());
  }

  public static byte[] settingsAck() {
    return frame(FrameType.SETTINGS, FrameType.FLAG_ACK, 0);
  }

  public static byte[] ping(long opaque) {
    return frame(FrameType.PING, 0, 0, ByteBuffer.allocate(8).putLong(opaque).array());
  }

  public static byte[] windowUpdate(int streamId, int increment) {
    return frame(FrameType.WINDOW_UPDATE, 0, streamId, number(increment));
  }

  public static byte[] reset(int streamId, Http2Error error) {
    return frame(FrameType.RST_STREAM, 0, streamId, number(error.code()));
  }

  public static byte[] goAway(int lastStreamId, Http2Error error) {
    return frame(FrameType.GOAWAY, 0, 0, join(number(lastStreamId), number(error.code())));
  }

  public static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  public static byte[] number(int value) {
    return ByteBuffer.allocate(4).putInt(value).array();
  }

  /** A valid request without END_STREAM. */
  public static byte[] request(int streamId) {
    return headers(streamId, END_HEADERS, REQUEST);
  }

  /** A valid request with END_STREAM and no content. */
  public static byte[] wholeRequest(int streamId) {
    return headers(streamId, END_HEADERS | END_STREAM, REQUEST);
  }

  @SuppressWarnings("MutablePublicArray") // never modified
  public static final String[] REQUEST = {
    ":method", "POST", ":scheme", "http", ":path", "/a.Service/Call", ":authority", "pay"
  };

  /** A HEADERS frame with a valid request's fields and some more. */
  public static byte[] requestWith(int streamId, int flags, String... more) {
    return frame(
        FrameType.HEADERS, flags | END_HEADERS, streamId, join(block(REQUEST), block(more)));
  }

  public static byte[] headers(int streamId, int flags, String... namesAndValues) {
    return frame(FrameType.HEADERS, flags, streamId, block(namesAndValues));
  }

  /** A header block of literals that are not indexed. */
  public static byte[] block(String... namesAndValues) {
    var out = new ByteArrayOutputStream();
    for (int i = 0; i < namesAndValues.length; i++) {
      if (i % 2 == 0) {
        out.write(0);
      }
      byte[] text = namesAndValues[i].getBytes(StandardCharsets.ISO_8859_1);
      length(out, text.length);
      out.writeBytes(text);
    }
    return out.toByteArray();
  }

  private static void length(ByteArrayOutputStream out, int length) {
    if (length < 127) {
      out.write(length);
      return;
    }
    out.write(127);
    int rest = length - 127;
    while (rest >= 128) {
      out.write((rest & 0x7f) | 0x80);
      rest >>= 7;
    }
    out.write(rest);
  }
}
