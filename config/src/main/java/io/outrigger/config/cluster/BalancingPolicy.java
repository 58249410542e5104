package io.outrigger.config.cluster;

import java.time.Duration;
import java.util.List;

/** The endpoint-picking policy of a cluster (A27, A52). */
public sealed interface BalancingPolicy {
  /** Localities by weight, {@code child} within each. */
  record WrrLocality(BalancingPolicy child) implements BalancingPolicy {}

  /** Each READY endpoint in turn. */
  record RoundRobin() implements BalancingPolicy {}

  /** The first endpoint that connects (A62). */
  record PickFirst(boolean shuffle) implements BalancingPolicy {}

  /**
   * The endpoint that the request's hash falls to (A42).
   *
   * @param minSize of the ring, at most {@code maxSize}
   * @param maxSize of the ring, at most {@link #LARGEST}
   * @param requestHashHeader lower case; the header whose value is hashed instead of what the route
   *     says (A76); empty when the route decides
   */
  record RingHash(long minSize, long maxSize, String requestHashHeader) implements BalancingPolicy {
    public static final long DEFAULT_MIN_SIZE = 1024; // A42-02
    public static final long LARGEST = 8 * 1024 * 1024; // A42-02, the default as well
  }

  /**
   * The endpoint with the fewest requests in flight among a few drawn at random (A48).
   *
   * @param choices how many are drawn, 2 to {@link #MOST_CHOICES}
   */
  record LeastRequest(int choices) implements BalancingPolicy {
    public static final int DEFAULT_CHOICES = 2; // A48-01
    public static final int MOST_CHOICES = 10; // A48-01
  }

  /**
   * Endpoints in turn, each as often as the load that it reports allows (A58, A114).
   *
   * @param oob whether reports come on a stream of their own rather than with each response
   * @param oobPeriod how often they are asked for then
   * @param blackout how long an endpoint must have reported before its weight counts
   * @param expiration how long a report counts
   * @param updatePeriod how often weights are put into force, at least {@link #MIN_UPDATE_PERIOD}
   * @param errorPenalty what an error rate of 1 adds to the utilization; not negative
   * @param utilizationMetrics names such as {@code named_metrics.queue}, the largest of which is
   *     the utilization
   */
  record WeightedRoundRobin(
      boolean oob,
      Duration oobPeriod,
      Duration blackout,
      Duration expiration,
      Duration updatePeriod,
      double errorPenalty,
      List<String> utilizationMetrics)
      implements BalancingPolicy {
    public static final Duration DEFAULT_OOB_PERIOD = Duration.ofSeconds(10); // A58-01
    public static final Duration DEFAULT_BLACKOUT = Duration.ofSeconds(10); // A58-01
    public static final Duration DEFAULT_EXPIRATION = Duration.ofMinutes(3); // A58-01
    public static final Duration DEFAULT_UPDATE_PERIOD = Duration.ofSeconds(1); // A58-01
    public static final Duration MIN_UPDATE_PERIOD = Duration.ofMillis(100); // A58-01
    public static final double DEFAULT_ERROR_PENALTY = 1.0; // A58-01

    public WeightedRoundRobin {
      updatePeriod =
          updatePeriod.compareTo(MIN_UPDATE_PERIOD) < 0 ? MIN_UPDATE_PERIOD : updatePeriod;
      utilizationMetrics = List.copyOf(utilizationMetrics);
    }
  }

  /** What {@code lb_policy: ROUND_ROBIN} means (A52-04). */
  BalancingPolicy DEFAULT = new WrrLocality(new RoundRobin());
}
