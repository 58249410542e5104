package io.outrigger.dataplane.forward;

import io.netty.util.AsciiString;
import io.outrigger.dataplane.calls.Measuring;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What calls of one forward obey.
 *
 * @param maxQueuedRequests how many may wait for names, picks and streams
 * @param maxQueuedBytes how many body bytes of waiting requests are kept
 * @param decisionHeader lower case: requests with it are told where they went; null: none are
 * @param measuring what metrics of calls tell apart
 * @param nodeId ends the message of each local failure; empty: nothing is added. Known late
 */
public record ForwardSettings(
    AuthorityMode authority,
    int maxQueuedRequests,
    long maxQueuedBytes,
    @Nullable AsciiString decisionHeader,
    Measuring measuring,
    Supplier<String> nodeId) {
  /** CONTRACT section 2, {@code --max-queued-requests}. */
  public static final int MAX_QUEUED_REQUESTS = 10_000;

  /** SC-22. */
  public static final long MAX_QUEUED_BYTES = 64L << 20;

  public ForwardSettings {
    if (maxQueuedRequests < 0 || maxQueuedBytes < 0) {
      throw new IllegalArgumentException("a limit is negative");
    }
  }

  /** Requests are not told where they went; metrics tell little apart. */
  public ForwardSettings(
      AuthorityMode authority,
      int maxQueuedRequests,
      long maxQueuedBytes,
      Supplier<String> nodeId) {
    this(authority, maxQueuedRequests, maxQueuedBytes, null, Measuring.LITTLE, nodeId);
  }

  /** The same for requests that ask with a header where they went. */
  public ForwardSettings withDecisionHeader(String name) {
    return new ForwardSettings(
        authority, maxQueuedRequests, maxQueuedBytes, AsciiString.cached(name), measuring, nodeId);
  }

  /** The same with other things that metrics tell apart. */
  public ForwardSettings measuring(Measuring other) {
    return new ForwardSettings(
        authority, maxQueuedRequests, maxQueuedBytes, decisionHeader, other, nodeId);
  }

  /** The defaults of the contract. */
  public static ForwardSettings defaults(String nodeId) {
    return new ForwardSettings(
        new AuthorityMode.OfTarget(), MAX_QUEUED_REQUESTS, MAX_QUEUED_BYTES, () -> nodeId);
  }
}
