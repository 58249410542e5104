package io.outrigger.http2;

import io.outrigger.base.LoopConfined;

/** Hears of one connection. All calls on its event loop. */
@LoopConfined
public interface ConnectionHandler {
  /** The peer's first SETTINGS arrived: streams may be opened. */
  void onReady();

  /**
   * The peer opened a stream (server side only).
   *
   * @return who handles it; its {@code onHeaders} follows at once
   */
  StreamHandler onStream(Http2Stream stream);

  /**
   * The peer sent GOAWAY: streams above {@code lastStreamId} have been told already, no new stream
   * can be opened; the others go on.
   */
  void onGoAway(int lastStreamId, Http2Error error, String debug);

  /** A stream may be opened after {@link Http2Connection#canOpenStream} was false. */
  void onCapacity();

  /**
   * The connection ends by our will or by an error of the peer: streams have been told, and none
   * can be opened. The socket may stay open for a moment, so that the peer hears why.
   */
  default void onEnding(Http2Error error, String reason) {}

  /**
   * A request broke a rule and was reset (server side only).
   *
   * @param sound its fields but for those that break a rule
   * @param reason names the rule and the field
   */
  default void onRefused(HeaderList sound, String reason) {}

  /** The socket is closed; streams have been told already. Last call, exactly once. */
  void onClosed(String reason);
}
