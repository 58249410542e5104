package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.StreamHandler;
import io.outrigger.lb.Transport;

/** A transport whose connections are opened on demand by each event loop. */
public interface CallTransport extends Transport {
  /**
   * Opens a stream whose events occur on the given loop, which must be the current loop. While no
   * connection admits a stream, waiters are queued in order of arrival (SC-36).
   *
   * @param waiter notified by {@link Waiter#onOpened}, possibly before this method returns
   * @return false if the transport accepts no streams; the waiter is then not notified
   */
  boolean open(int loop, Waiter waiter);

  void forget(int loop, Waiter waiter);

  /** Waits for a stream and handles the events of that stream. */
  @LoopConfined
  interface Waiter extends StreamHandler {
    void onOpened(Http2Stream stream);

    /** Called when the transport opens no stream; the call must pick again with a newer picker. */
    void onNotOpened();
  }
}
