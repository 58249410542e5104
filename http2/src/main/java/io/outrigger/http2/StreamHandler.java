package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.LoopConfined;

/** Receives the events of one stream. All methods are called on the connection's event loop. */
@LoopConfined
public interface StreamHandler {
  /**
   * Called in place of {@link #onHeaders} when a request's header list is larger than allowed. A
   * handler on the server side must override this method and respond.
   *
   * @param incomplete a list of some of the request's fields; these fields may break rules
   */
  default void onTooLarge(HeaderList incomplete, boolean endStream) {
    throw new UnsupportedOperationException("a request with too many headers has no answer");
  }

  /**
   * Called for a valid header block of a request, of an interim or final response, or of trailers.
   */
  void onHeaders(HeaderList headers, boolean endStream);

  /**
   * Called for received DATA. The handler owns {@code data}, and returns its readable bytes with
   * {@link Http2Stream#consumed} once they are processed. The indices of {@code data} are valid
   * only until {@code onData} returns, because {@code data} may be the connection's read buffer. A
   * handler that keeps the data must keep a {@link ByteBuf#slice()} of it.
   */
  void onData(ByteBuf data, boolean endStream);

  /** Called when {@code bytes} of the data to be sent have been passed to the socket. */
  void onDataSent(int bytes);

  /** The last callback, if the peer has ended the stream with RST_STREAM. */
  void onReset(Http2Error error);

  /**
   * The last callback, if this side has reset the stream because the peer broke a rule.
   *
   * @param reason a text for people that names the broken rule and its field
   */
  default void onFault(Http2Error error, String reason) {
    onReset(error);
  }

  /** Whether the call's deadline has almost passed, so that a reset by the peer is no abuse. */
  default boolean isTimeUp() {
    return false;
  }

  /**
   * Called when the connection is closed because memory is short. {@link #onConnectionLost} follows
   * immediately.
   */
  default void onOverload() {}

  /** The last callback, if the connection ended before the stream. */
  void onConnectionLost(Refusal refusal, String reason);

  /** Whether a server has guaranteed that it did not process a request, and why (SC-34). */
  enum Refusal {
    /** No guarantee: the server may have processed the request. */
    NONE,
    /** The server refused the request, which may be sent again once. */
    OF_CALL,
    /**
     * No part of the request was written, or the server closed the connection gracefully before it
     * processed the request. The request may be sent again several times.
     */
    OF_CONNECTION
  }
}
