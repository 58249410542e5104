package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.StreamHandler;
import io.outrigger.lb.Transport;

/**
 * A live transport for calls. Each event loop has its own connections, which are opened on demand
 * and are invisible to balancing.
 */
public interface CallTransport extends Transport {
  /**
   * Opens a stream for the caller's event loop; all events of the stream occur on this loop. While
   * the connection is not yet established, or the peer admits no more streams, waiters wait in
   * order of arrival (SC-36).
   *
   * @param waiter notified by {@link Waiter#onOpened}, possibly before this method returns
   * @return false when the transport accepts no more streams; {@code waiter} is then not notified
   */
  boolean open(int loop, Waiter waiter);

  /** Removes a waiter from the queue; does nothing when the waiter is not in the queue. */
  void forget(int loop, Waiter waiter);

  /** Waits for a stream and handles the events of that stream. */
  @LoopConfined
  interface Waiter extends StreamHandler {
    /** The stream is open; the first {@code sendHeaders} on it sends the request. */
    void onOpened(Http2Stream stream);

    /**
     * This transport will not open a stream, and nothing was sent. A newer picker is published
     * already or follows.
     */
    void onNotOpened();
  }
}
