package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.StreamHandler;

/** Who wants a stream and will handle it. */
@LoopConfined
public interface StreamWaiter extends StreamHandler {
  /** Here is the stream; its first {@code sendHeaders} is the request. */
  void onOpened(Http2Stream stream);

  /**
   * There will be none on this transport; nothing was sent. A newer picker comes, or is there.
   *
   * @param reason for people
   */
  void onNotOpened(String reason);
}
