package io.outrigger.dataplane.forward;

import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.route.RetryPolicy;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Counts the attempts of one call for its retry policy and computes the back-off before the next
 * attempt (A6 "Retry Policy Capabilities", A44).
 */
@LoopConfined
final class RetryState {
  /** Returned in place of a delay when no further attempt follows. */
  static final long NO_RETRY = -1;

  private static final double JITTER = 0.2;
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,10}");

  private final RetryPolicy policy;
  private final RandomSource random;
  private int attempts = 1;

  /** The number of back-offs since the first attempt or since the last pushback of a backend. */
  private int backoffs;

  RetryState(RetryPolicy policy, RandomSource random) {
    this.policy = policy;
    this.random = random;
  }

  /**
   * Returns the delay before the next attempt, and counts the next attempt.
   *
   * @param pushback the backend's {@code grpc-retry-pushback-ms}; null when absent
   * @return the back-off in nanoseconds, or {@link #NO_RETRY}
   */
  long afterFailure(Code code, @Nullable AsciiString pushback) {
    if (attempts >= policy.maxAttempts() || !policy.codes().contains(code)) {
      return NO_RETRY;
    }
    long delay = pushback == null ? backoffNanos() : pushedBackNanos(pushback);
    if (delay != NO_RETRY) {
      attempts++;
    }
    return delay;
  }

  /** The value of {@code grpc-previous-rpc-attempts} for the current attempt (A44-11). */
  int previousAttempts() {
    return attempts - 1;
  }

  private long backoffNanos() {
    long nominal = policy.baseInterval().toNanos();
    long most = policy.maxInterval().toNanos();
    for (int i = 0; i < backoffs && nominal < most; i++) {
      nominal *= 2; // no overflow: at most twice the maximum interval
    }
    backoffs++;
    return (long) random.jittered(Math.min(nominal, most), JITTER, Purpose.BACKOFF_JITTER);
  }

  /**
   * The delay that the backend requests. A pushback that is negative or not a number forbids a
   * retry (A6 "Pushback").
   */
  private long pushedBackNanos(AsciiString text) {
    backoffs = 0;
    long millis = NUMBER.matcher(text).matches() ? text.parseLong() : Long.MAX_VALUE;
    return millis > Integer.MAX_VALUE ? NO_RETRY : Duration.ofMillis(millis).toNanos();
  }
}
