package io.outrigger.config.route;

import io.outrigger.base.RpcStatus.Code;
import java.time.Duration;
import java.util.Set;

/**
 * When a failed gRPC request is sent again (A44, A6).
 *
 * @param codes which make an attempt worth repeating; never empty: a policy without any is no
 *     policy
 * @param maxAttempts of a request, the first one included; 2 to {@link #MAX_ATTEMPTS}
 * @param baseInterval the nominal wait before the second attempt; it doubles with each further one
 * @param maxInterval the nominal wait grows no further than this
 */
public record RetryPolicy(
    Set<Code> codes, int maxAttempts, Duration baseInterval, Duration maxInterval) {
  /** A6 "Limits on Retries and Hedges". */
  public static final int MAX_ATTEMPTS = 5;

  /** Envoy's {@code RetryPolicy.num_retries}. */
  public static final int DEFAULT_RETRIES = 1;

  /** Envoy's {@code RetryBackOff}, and A44. */
  public static final Duration DEFAULT_BASE_INTERVAL = Duration.ofMillis(25);

  /** The largest interval is this many times the first unless it is given (A44). */
  public static final int DEFAULT_MAX_FACTOR = 10;

  /** Shorter intervals are taken as this (A44). */
  public static final Duration SHORTEST_INTERVAL = Duration.ofMillis(1);

  public RetryPolicy {
    codes = Set.copyOf(codes);
    if (codes.isEmpty() || maxAttempts < 2 || maxAttempts > MAX_ATTEMPTS) {
      throw new IllegalArgumentException(codes + ", " + maxAttempts + " attempts");
    }
    if (maxInterval.compareTo(baseInterval) < 0 || baseInterval.compareTo(SHORTEST_INTERVAL) < 0) {
      throw new IllegalArgumentException(baseInterval + " to " + maxInterval);
    }
  }
}
