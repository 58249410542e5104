package io.outrigger.proxy.forward;

/**
 * What calls of one forward obey.
 *
 * @param maxQueuedRequests how many may wait for names, picks and streams
 * @param maxQueuedBytes how many body bytes of waiting requests are kept
 * @param nodeId ends the message of each local failure; empty: nothing is added
 */
public record ForwardSettings(
    AuthorityMode authority, int maxQueuedRequests, long maxQueuedBytes, String nodeId) {
  /** CONTRACT section 2, {@code --max-queued-requests}. */
  public static final int MAX_QUEUED_REQUESTS = 10_000;

  /** SC-22. */
  public static final long MAX_QUEUED_BYTES = 64L << 20;

  public ForwardSettings {
    if (maxQueuedRequests < 0 || maxQueuedBytes < 0) {
      throw new IllegalArgumentException("a limit is negative");
    }
  }

  /** The defaults of the contract. */
  public static ForwardSettings defaults(String nodeId) {
    return new ForwardSettings(
        new AuthorityMode.OfTarget(), MAX_QUEUED_REQUESTS, MAX_QUEUED_BYTES, nodeId);
  }
}
