package io.outrigger.http2;

import io.netty.buffer.ByteBuf;

/**
 * Receives the frames that {@link FrameReader} has read. The reader has checked everything that
 * depends on a frame alone: its size, its flags, and whether its stream id may be zero.
 */
interface FrameListener {
  /**
   * Called at the beginning of a DATA frame; {@link #onDataPart} follows for its parts.
   *
   * @param flowBytes the number of bytes that count for flow control, including padding
   * @param padding the number of padding bytes in {@code flowBytes}, including the pad length;
   *     padding is not passed on
   */
  void onDataStart(int streamId, int flowBytes, int padding, boolean endStream)
      throws ConnectionFault;

  /**
   * Called for each part of the current DATA frame. The listener takes ownership of {@code part},
   * as in {@link StreamHandler#onData}. For the last part, the argument {@code last} is true.
   */
  void onDataPart(ByteBuf part, boolean last) throws ConnectionFault;

  /**
   * Called for a whole header block, including its CONTINUATION frames. {@code FrameReader}
   * releases the block.
   */
  void onHeaderBlock(int streamId, ByteBuf block, boolean endStream) throws ConnectionFault;

  void onReset(int streamId, long code) throws ConnectionFault;

  void onSettings(ByteBuf settings) throws ConnectionFault;

  void onSettingsAck() throws ConnectionFault;

  void onPing(long opaque, boolean ack) throws ConnectionFault;

  void onGoAway(int lastStreamId, long code, ByteBuf debug) throws ConnectionFault;

  /** Called for every WINDOW_UPDATE, even if the increment is 0, which is an error of the peer. */
  void onWindowUpdate(int streamId, int increment) throws ConnectionFault;

  /** Called for a PRIORITY frame or a frame of an unknown type; both have no effect. */
  void onIgnored() throws ConnectionFault;

  /** Called for a frame whose error is a stream error (RFC 9113 section 5.4.2). */
  void onStreamFault(int streamId, Http2Error error, String reason) throws ConnectionFault;
}
