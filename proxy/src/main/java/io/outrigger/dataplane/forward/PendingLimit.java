package io.outrigger.dataplane.forward;

import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the waiting requests of one forward over all event loops, by their number and by their
 * bytes (SC-22). A request that is routed and picked at once is not counted here.
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

  /** Reserves a place for one request; false when none is free. */
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

  /** Reserves room for {@code count} bytes; false when this would exceed the limit. */
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
