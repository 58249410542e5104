package io.outrigger.base;

import java.util.concurrent.ThreadLocalRandom;

/** A thread-safe source of random numbers; tests can set the numbers of each {@link Purpose}. */
public interface RandomSource {
  enum Purpose {
    BACKOFF_JITTER,
    ROUTE_FRACTION,
    CLUSTER_WEIGHT,
    LOCALITY_WEIGHT,
    DROP,
    SHUFFLE,
    START_INDEX,
    ENFORCEMENT,
    LEAST_REQUEST,
    HASH,
    SUBSET,
    FAULT_DELAY,
    FAULT_ABORT,
    QUERY_ID,
    DNS_REFRESH,
    DRAIN_SPREAD,
    CERTIFICATE_RENEWAL
  }

  /** Returns a uniform value in {@code [0, bound)}; {@code bound} is positive. */
  long nextLong(long bound, Purpose purpose);

  /** Returns a random value in {@code [nominal * (1 - share), nominal * (1 + share))}. */
  default double jittered(double nominal, double share, Purpose purpose) {
    long steps = 1 << 20;
    double unit = nextLong(steps, purpose) / (double) steps; // [0, 1)
    return nominal * (1 - share + 2 * share * unit);
  }

  /** A class, because start-up caches cannot store a lambda whose interface has a constant. */
  RandomSource SYSTEM =
      new RandomSource() {
        @Override
        public long nextLong(long bound, Purpose purpose) {
          return ThreadLocalRandom.current().nextLong(bound);
        }
      };
}
