package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.LoopConfined;

/**
 * One HTTP/2 stream of a client or server connection. All methods are called on the connection's
 * event loop. Sending on a closed or reset stream only releases the buffer.
 */
@LoopConfined
public interface Http2Stream {
  /** Sends the header block of a request, of an interim (1xx) or final response, or of trailers. */
  void sendHeaders(HeaderList headers, boolean endStream);

  /**
   * The maximum header list that the peer accepts (RFC 9113 section 6.5.2), in the unit of {@link
   * HeaderList#listBytes}; Long.MAX_VALUE if the peer has set no limit. The peer may close the
   * connection when it receives a larger header list.
   */
  default long maxHeaderListBytes() {
    return Long.MAX_VALUE;
  }

  /**
   * Sends {@code data} and takes ownership of it. {@code data} may be the caller's read buffer, so
   * its indices are valid only until {@code sendData} returns. Bytes for which the peer's windows
   * or the socket have no room are queued in order. {@link StreamHandler#onDataSent} reports bytes
   * that were sent, possibly before {@code sendData} returns. To bound the queue, a caller that
   * forwards DATA calls {@link #consumed} on the source stream only after {@code onDataSent}.
   */
  void sendData(ByteBuf data, boolean endStream);

  /**
   * Drops pending DATA and a pending END_STREAM, so that the next header block is sent immediately.
   * Does nothing when END_STREAM has been sent.
   */
  void dropPending();

  /**
   * Removes and returns DATA that was not sent. The {@link StreamHandler} may call {@code
   * takeUnsent} during its last callback; afterwards unsent DATA is dropped.
   */
  PendingData takeUnsent();

  /** Ends the stream with RST_STREAM and drops unsent data. No callback follows. */
  void reset(Http2Error error);

  /**
   * Gives the sender flow-control credit for {@code bytes} of received DATA. The handler must
   * return every byte delivered by {@link StreamHandler#onData} exactly once. When the stream has
   * ended, this method does nothing: the connection has already returned the bytes.
   */
  void consumed(int bytes);

  /** The number of DATA bytes that wait for a window or for the socket. */
  int pendingBytes();

  /** Whether requests on this connection are refused while the memory of the process is full. */
  default boolean isOnHeavyConnection() {
    return true;
  }

  /** Whether END_STREAM has been written, so that nothing more is sent on this stream. */
  boolean hasSentEnd();
}
