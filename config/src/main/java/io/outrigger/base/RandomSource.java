package io.outrigger.base;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Where randomness comes from. Each draw names its purpose, so that a test can pin one decision and
 * leave the others alone. Any thread may draw.
 */
public interface RandomSource {
  /** What a draw decides. */
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
    QUERY_ID
  }

  /** A uniform value in {@code [0, bound)}; {@code bound} is positive. */
  long nextLong(long bound, Purpose purpose);

  /** The source of a running process; lock-free and free of allocation. */
  RandomSource SYSTEM = (bound, purpose) -> ThreadLocalRandom.current().nextLong(bound);
}
