package io.outrigger.dataplane.forward;

import io.outrigger.lb.Transport;

/**
 * A live transport as calls use it: connections of the event loops, opened on demand, invisible to
 * balancing.
 */
public interface CallTransport extends Transport {
  /**
   * Opens a stream for event loop {@code loop}, which is the caller's, and on which everything that
   * concerns the stream happens. When the connection is still being made, or the peer admits no
   * more streams, {@code waiter} waits in order of arrival (SC-36).
   *
   * @param waiter told by {@link StreamWaiter#onOpened}, possibly before this returns
   * @return false when the transport takes no more streams: {@code waiter} hears nothing
   */
  boolean open(int loop, StreamWaiter waiter);

  /** {@code waiter} no longer waits; nothing when it does not. */
  void forget(int loop, StreamWaiter waiter);
}
