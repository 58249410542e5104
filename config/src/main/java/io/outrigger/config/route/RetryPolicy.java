package io.outrigger.config.route;

import io.outrigger.base.RpcStatus.Code;
import java.time.Duration;
import java.util.Set;

/**
 * The conditions and delays for retries of a failed gRPC request (A44, A6).
 *
 * @param codes the status codes that cause a retry; never empty
 * @param maxAttempts the limit of attempts including the first; 2 to {@link #MAX_ATTEMPTS}
 * @param baseInterval the delay before the second attempt, without jitter; doubled for each further
 *     attempt
 * @param maxInterval the maximum delay before jitter is applied
 */
public record RetryPolicy(
    Set<Code> codes, int maxAttempts, Duration baseInterval, Duration maxInterval) {
  /** The maximum of {@code maxAttempts} (A6 "Limits on Retries and Hedges"). */
  public static final int MAX_ATTEMPTS = 5;

  /** The default of Envoy's {@code RetryPolicy.num_retries}. */
  public static final int DEFAULT_RETRIES = 1;

  /** The default {@code baseInterval} of Envoy's {@code RetryBackOff} and of A44. */
  public static final Duration DEFAULT_BASE_INTERVAL = Duration.ofMillis(25);

  /** The ratio of the default {@code maxInterval} to {@code baseInterval} (A44). */
  public static final int DEFAULT_MAX_FACTOR = 10;

  /** The minimum of each interval; shorter intervals are raised to this minimum (A44). */
  public static final Duration MIN_INTERVAL = Duration.ofMillis(1);

  public RetryPolicy {
    codes = Set.copyOf(codes);
    if (codes.isEmpty() || maxAttempts < 2 || maxAttempts > MAX_ATTEMPTS) {
      throw new IllegalArgumentException(codes + ", " + maxAttempts + " attempts");
    }
    if (maxInterval.compareTo(baseInterval) < 0 || baseInterval.compareTo(MIN_INTERVAL) < 0) {
      throw new IllegalArgumentException(baseInterval + " to " + maxInterval);
    }
  }
}
