package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.LoopConfined;

/**
 * One HTTP/2 stream, from either side. All calls on the connection's event loop. Sending on a
 * stream that is closed or reset is harmless and does nothing (buffers are released).
 */
@LoopConfined
public interface Http2Stream {
  /** Its number; 0 before the first {@link #sendHeaders} of a stream that we opened. */
  int id();

  /** Who hears of this stream from now on. */
  void handler(StreamHandler handler);

  /** Sends a header block: request, 1xx, response or trailers, as position and content tell. */
  void sendHeaders(HeaderList headers, boolean endStream);

  /** The same for a block that goes only once: {@code fields} may serve again when this returns. */
  default void sendHeaders(HeaderList.Builder fields, boolean endStream) {
    sendHeaders(fields.copy(false), endStream);
  }

  /**
   * The size of the largest header list that the peer takes (RFC 9113 section 6.5.2), by {@link
   * HeaderList#listBytes}; Long.MAX_VALUE when it has not said. Larger ones may cost the
   * connection.
   */
  default long maxHeaderListBytes() {
    return Long.MAX_VALUE;
  }

  /**
   * Sends {@code data}, of which this takes ownership, but not of its indices, as {@link
   * StreamHandler#onData} has it. What the peer's windows or a full socket do not admit is kept in
   * order; {@link StreamHandler#onDataSent} tells when bytes have gone, which may be before this
   * returns. The caller bounds what is kept by returning credit ({@link #consumed}) on the other
   * side only then.
   */
  void sendData(ByteBuf data, boolean endStream);

  /**
   * Drops DATA that waits to be sent and the end that was to follow it, so that a header block that
   * is sent next leaves at once. Nothing when the end has been sent.
   */
  void dropPending();

  /**
   * Takes DATA that was not sent. Also for the last call of its {@link StreamHandler}: what is not
   * taken then is dropped when that returns.
   */
  PendingData takeUnsent();

  /** Ends the stream with RST_STREAM, dropping what waits to be sent. No callback follows. */
  void reset(Http2Error error);

  /**
   * Returns {@code bytes} of received DATA to the sender's windows. Every byte delivered by {@link
   * StreamHandler#onData} is returned once, except on a stream that has ended by then: the
   * connection settles those itself.
   */
  void consumed(int bytes);

  /** DATA bytes that wait for windows or the socket. */
  int pendingBytes();

  /** Whether this side has not ended the stream yet. */
  boolean isOpenForSending();

  /** Whether END_STREAM has been given to the connection: the peer needs nothing more of us. */
  boolean hasSentEnd();
}
