package io.outrigger.dataplane.forward;

import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds what waits in one forward, over all event loops: requests by number, their bodies by bytes
 * (SC-22). A request that is routed and picked at once never comes here.
 */
@AnyThread
final class PendingLimit {
  private final int maxRequests;
  private final long maxBytes;
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();

  PendingLimit(int maxRequests, long maxBytes) {
    this.maxRequests = maxRequests;
    this.maxBytes = maxBytes;
  }

  /** Takes a place; false when all are taken. */
  boolean enter() {
    if (requests.incrementAndGet() > maxRequests) {
      requests.decrementAndGet();
      return false;
    }
    return true;
  }

  void leave() {
    requests.decrementAndGet();
  }

  /** Reserves room for body bytes; false when that would be too many. */
  boolean hold(int count) {
    if (bytes.addAndGet(count) > maxBytes) {
      bytes.addAndGet(-count);
      return false;
    }
    return true;
  }

  void letGo(long count) {
    bytes.addAndGet(-count);
  }

  int requests() {
    return requests.get();
  }

  long bytes() {
    return bytes.get();
  }
}
