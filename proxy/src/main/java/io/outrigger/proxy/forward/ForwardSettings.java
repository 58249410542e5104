package io.outrigger.proxy.forward;

import io.netty.util.AsciiString;
import java.util.Set;
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

  /**
   * What metrics of calls tell apart: each of it multiplies their histograms.
   *
   * @param methods such as {@code pkg.Service/Method}; all others are one
   * @param localities whether attempts have {@code grpc.lb.locality} (A78 "Per-Call Metrics")
   * @param callDelays whether waits of calls for their configuration are measured (A121)
   * @param attemptDelays whether waits of attempts for a connection are measured (A121)
   */
  public record Measuring(
      Set<String> methods, boolean localities, boolean callDelays, boolean attemptDelays) {
    /** Nothing beyond what is always told. */
    public static final Measuring LITTLE = new Measuring(Set.of(), false, false, false);

    public Measuring {
      methods = Set.copyOf(methods);
    }
  }

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
