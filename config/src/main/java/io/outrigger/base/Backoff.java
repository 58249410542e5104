package io.outrigger.base;

import java.time.Duration;

/**
 * Exponential delays with jitter, as gRPC's connection back-off defines them: 1 s, times 1.6 each
 * time, at most 120 s, each spread by 20 % to either side.
 */
@ControlConfined
public final class Backoff {
  private static final Duration INITIAL = Duration.ofSeconds(1);
  private static final Duration MAX = Duration.ofSeconds(120);
  private static final double FACTOR = 1.6;
  private static final double JITTER = 0.2;
  private static final long RESOLUTION = 1L << 20;

  private final RandomSource random;
  private final Duration max;
  private double nextNanos = INITIAL.toNanos();

  public Backoff(RandomSource random) {
    this(random, MAX);
  }

  /** With another limit: for somebody who is near, and may be asked more often. */
  public Backoff(RandomSource random, Duration max) {
    this.random = random;
    this.max = max;
  }

  /** The delay before the next attempt, measured from the start of the one before. */
  public Duration next() {
    double nominal = nextNanos;
    nextNanos = Math.min(nominal * FACTOR, max.toNanos());
    double unit =
        random.nextLong(RESOLUTION, RandomSource.Purpose.BACKOFF_JITTER) / (double) RESOLUTION;
    return Duration.ofNanos((long) (nominal * (1 - JITTER + 2 * JITTER * unit)));
  }

  /** Back to the first step, after a success. */
  public void reset() {
    nextNanos = INITIAL.toNanos();
  }
}
