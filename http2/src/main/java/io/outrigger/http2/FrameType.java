package io.outrigger.http2;

/** The numbers of frame types, flags and settings in RFC 9113 section 6. */
public final class FrameType {
  public static final int DATA = 0x0;
  public static final int HEADERS = 0x1;
  public static final int PRIORITY = 0x2;
  public static final int RST_STREAM = 0x3;
  public static final int SETTINGS = 0x4;
  public static final int PUSH_PROMISE = 0x5;
  public static final int PING = 0x6;
  public static final int GOAWAY = 0x7;
  public static final int WINDOW_UPDATE = 0x8;
  public static final int CONTINUATION = 0x9;

  public static final int FLAG_ACK = 0x1;
  public static final int FLAG_END_STREAM = 0x1;
  public static final int FLAG_END_HEADERS = 0x4;
  public static final int FLAG_PADDED = 0x8;
  public static final int FLAG_PRIORITY = 0x20;

  public static final int HEADER_BYTES = 9;

  public static final int SETTINGS_HEADER_TABLE_SIZE = 0x1;
  public static final int SETTINGS_ENABLE_PUSH = 0x2;
  public static final int SETTINGS_MAX_CONCURRENT_STREAMS = 0x3;
  public static final int SETTINGS_INITIAL_WINDOW_SIZE = 0x4;
  public static final int SETTINGS_MAX_FRAME_SIZE = 0x5;
  public static final int SETTINGS_MAX_HEADER_LIST_SIZE = 0x6;

  private FrameType() {}
}
