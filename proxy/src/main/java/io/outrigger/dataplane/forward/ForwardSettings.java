package io.outrigger.dataplane.forward;

import io.outrigger.dataplane.calls.Measuring;
import java.util.function.Supplier;

/**
 * The settings of one forward's calls.
 *
 * @param maxQueuedRequests the maximum number of requests that wait for a configuration, pick or
 *     stream
 * @param maxQueuedBytes the maximum number of buffered bytes of waiting requests
 * @param nodeId supplies the xDS node ID for messages of local failures, once the ID is known;
 *     empty to add no ID
 */
public record ForwardSettings(
    AuthorityMode authority,
    int maxQueuedRequests,
    long maxQueuedBytes,
    Measuring measuring,
    Supplier<String> nodeId) {
  /** The default limit for the buffered bytes of waiting requests (SC-22). */
  public static final long MAX_QUEUED_BYTES = 64L << 20;

  public ForwardSettings {
    if (maxQueuedRequests < 0 || maxQueuedBytes < 0) {
      throw new IllegalArgumentException("a limit is negative");
    }
  }
}
