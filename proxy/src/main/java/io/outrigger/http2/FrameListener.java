package io.outrigger.http2;

import io.netty.buffer.ByteBuf;

/**
 * Hears of the frames that {@link FrameReader} cuts, already checked for what can be seen from a
 * frame alone: its size, its flags, whether it belongs to a stream.
 */
interface FrameListener {
  /**
   * A DATA frame begins; its parts follow as they arrive.
   *
   * @param flowBytes what it takes from the windows, padding included
   * @param padding bytes of it that nobody will see
   */
  void onDataStart(int streamId, int flowBytes, int padding, boolean endStream)
      throws ConnectionFault;

  /**
   * A part of the DATA frame begun last; the listener owns it as {@link StreamHandler#onData} has
   * it. {@code last} for its last part.
   */
  void onDataPart(ByteBuf part, boolean last) throws ConnectionFault;

  /** A whole header block, CONTINUATION included; the reader keeps {@code block}. */
  void onHeaderBlock(int streamId, ByteBuf block, boolean endStream) throws ConnectionFault;

  void onReset(int streamId, long code) throws ConnectionFault;

  void onSettings(ByteBuf settings) throws ConnectionFault;

  void onSettingsAck() throws ConnectionFault;

  void onPing(long opaque, boolean ack) throws ConnectionFault;

  void onGoAway(int lastStreamId, long code, ByteBuf debug) throws ConnectionFault;

  /** The increment is 0 when the peer broke the rule. */
  void onWindowUpdate(int streamId, int increment) throws ConnectionFault;

  /** A frame that means nothing to us: PRIORITY or of an unknown type. */
  void onIgnored() throws ConnectionFault;

  /** A frame spoils its stream only. */
  void onStreamFault(int streamId, Http2Error error, String reason) throws ConnectionFault;
}
