package io.outrigger.proxy.http2;

import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/** One socket's HTTP/2 life, as the layers above see it. All calls on its event loop. */
@LoopConfined
public interface Http2Connection {
  /** Whether {@link #openStream} would succeed now. */
  boolean canOpenStream();

  /**
   * Opens a stream (client side); its first {@code sendHeaders} is the request.
   *
   * @return null when the peer's MAX_CONCURRENT_STREAMS are in use or the connection goes away;
   *     {@link ConnectionHandler#onCapacity} tells when to try again
   */
  @Nullable Http2Stream openStream(StreamHandler handler);

  /** Streams that are open in any half. */
  int activeStreams();

  /**
   * Ends the connection without losing a call: GOAWAY in two steps (server side), no new streams,
   * close when the last one has ended.
   */
  void drain();

  /** Sends GOAWAY and closes at once; streams are told. */
  void close(Http2Error error, String reason);
}
