package io.outrigger.dataplane.forward;

import io.outrigger.base.AnyThread;

/**
 * Limits the waiting requests of one forward over all event loops, by their number and by their
 * bytes (SC-22). A request that is routed and picked at once is not counted here.
 */
@AnyThread
record PendingLimit(Budget requests, Budget bytes) {
  PendingLimit(int maxRequests, long maxBytes) {
    this(new Budget(maxRequests), new Budget(maxBytes));
  }
}
