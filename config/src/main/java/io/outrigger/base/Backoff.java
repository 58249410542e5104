package io.outrigger.base;

import java.time.Duration;

/**
 * Exponential delays with jitter, as in gRPC's connection backoff. The first delay is 1 s; each
 * further delay is 1.6 times the previous delay, up to 120 s. Jitter changes each delay by at most
 * 20 % in either direction.
 */
@LoopConfined
public final class Backoff {
  private static final Duration INITIAL = Duration.ofSeconds(1);
  private static final Duration MAX = Duration.ofSeconds(120);
  private static final double FACTOR = 1.6;
  private static final double JITTER = 0.2;

  private final RandomSource random;
  private final Duration max;
  private double nextNanos = INITIAL.toNanos();

  public Backoff(RandomSource random) {
    this(random, MAX);
  }

  /** Creates a backoff for frequent retries. {@code max} limits each delay before jitter. */
  public Backoff(RandomSource random, Duration max) {
    this.random = random;
    this.max = max;
  }

  /** Returns the delay before the next attempt, measured from the start of the previous attempt. */
  public Duration next() {
    double nominal = nextNanos;
    nextNanos = Math.min(nominal * FACTOR, max.toNanos());
    return Duration.ofNanos(
        (long) random.jittered(nominal, JITTER, RandomSource.Purpose.BACKOFF_JITTER));
  }

  public void reset() {
    nextNanos = INITIAL.toNanos();
  }
}
