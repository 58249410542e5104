package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.LoopConfined;

/** Hears of one stream. All calls on the connection's event loop. */
@LoopConfined
public interface StreamHandler {
  /**
   * A request's header list was larger than allowed; in place of {@link #onHeaders}. One that is
   * not answered at once is answered with a bare 431 (RFC 6585 section 5).
   *
   * @param fitting the fields that fit; anything may be missing, and no rule was checked
   */
  default void onTooLarge(HeaderList fitting, boolean endStream) {}

  /** A validated header block: request, 1xx, response or trailers. */
  void onHeaders(HeaderList headers, boolean endStream);

  /**
   * DATA; the handler owns {@code data} and returns its readable bytes as credit when they went on.
   * Its indices are good until this returns: it may be the buffer in which more was read, and who
   * keeps it keeps a {@link ByteBuf#slice()} of it.
   */
  void onData(ByteBuf data, boolean endStream);

  /**
   * {@code bytes} of what was sent with {@link Http2Stream#sendData} have been given to the socket.
   */
  void onDataSent(int bytes);

  /** The peer ended the stream with RST_STREAM, or we did to free memory. Last call. */
  void onReset(Http2Error error, boolean byPeer);

  /**
   * The peer broke a rule, so that we have reset the stream. Last call.
   *
   * @param reason names the rule and the field, for people
   */
  default void onFault(Http2Error error, String reason) {
    onReset(error, false);
  }

  /**
   * Whether the time that the request allows itself is about over: when the peer resets the stream
   * then, that is no sign of abuse.
   */
  default boolean isTimeUp() {
    return false;
  }

  /**
   * The connection is ended since memory is short. {@link #onConnectionLost} follows where the
   * handler has not ended the stream.
   */
  default void onOverload() {}

  /**
   * The peer said GOAWAY before it took this stream up. It took up others and reports no error, or
   * nothing was written on the stream: no reason not to try again, however often. In place of
   * {@link #onConnectionLost}. Last call.
   *
   * @param reason for people
   */
  default void onPassedOver(String reason) {
    onConnectionLost(true, reason);
  }

  /**
   * The connection ended under the stream. Last call.
   *
   * @param refused the peer promised (GOAWAY) that it has not processed the stream: safe to retry
   * @param reason for people
   */
  void onConnectionLost(boolean refused, String reason);
}
