package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.StreamHandler;

/** Waits for a stream and handles the events of that stream. */
@LoopConfined
public interface StreamWaiter extends StreamHandler {
  /** The stream is open; the first {@code sendHeaders} on it sends the request. */
  void onOpened(Http2Stream stream);

  /**
   * This transport will not open a stream, and nothing was sent. A newer picker is published
   * already or follows.
   */
  void onNotOpened();
}
