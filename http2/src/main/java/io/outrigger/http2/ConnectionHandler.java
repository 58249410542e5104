package io.outrigger.http2;

import io.outrigger.base.LoopConfined;

/** Receives the events of one connection. All methods are called on the connection's event loop. */
@LoopConfined
public interface ConnectionHandler {
  /** Called when the peer's first SETTINGS have arrived, so that streams may be opened. */
  default void onReady() {}

  /**
   * Called when the peer opened a stream (server side only).
   *
   * @return the handler of the stream; its {@code onHeaders} is called immediately afterwards
   */
  StreamHandler onStream(Http2Stream stream);

  /**
   * Called when the peer sent GOAWAY. The handlers of streams above {@code lastStreamId} have
   * already been notified. The streams up to {@code lastStreamId} continue, but no stream can be
   * opened.
   */
  default void onGoAway(int lastStreamId, Http2Error error, String debug) {}

  /** Called when {@link Http2Connection#openStream} can succeed again after a failure. */
  default void onCapacity() {}

  /**
   * Called when this side closes the connection, perhaps because of an error of the peer. The
   * handlers of all streams have already been notified. The socket may stay open for a short time
   * so that the peer receives the GOAWAY.
   */
  default void onEnding(Http2Error error, String reason) {}

  /**
   * Called when a request broke a rule of HTTP/2 and its stream was reset (server side only).
   *
   * @param validFields the fields of the request that break no rule
   * @param reason a text for people that names the broken rule and its field
   */
  default void onRefused(HeaderList validFields, String reason) {}

  /** Called once, as the last event, when the socket is closed and all streams were notified. */
  default void onClosed(String reason) {}
}
