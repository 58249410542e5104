package io.outrigger.dataplane.forward;

import io.outrigger.dataplane.calls.Measuring;
import java.util.function.Supplier;

/**
 * The settings of one forward's calls.
 *
 * @param maxQueuedRequests the maximum number of requests that wait for configuration, picks and
 *     streams
 * @param maxQueuedBytes the maximum number of bytes of waiting requests that are buffered
 * @param measuring the attributes that the metrics of calls distinguish
 * @param nodeId supplies the xDS node ID that is appended to the message of each local failure, or
 *     an empty string to append nothing; a supplier, because the ID is not known at the start
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
