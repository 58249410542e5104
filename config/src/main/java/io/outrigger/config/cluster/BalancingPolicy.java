package io.outrigger.config.cluster;

import java.time.Duration;
import java.util.List;

/**
 * The settings of a cluster's load balancing policy (A27, A52). A new policy needs a record in this
 * file, a decoder in {@code xds.decode.PolicyDecoderRegistry} and an implementation in {@code
 * lb.endpoint.LeafPolicies}.
 */
public sealed interface BalancingPolicy {
  /**
   * Whether ejected endpoints (A50) are excluded from calls (A50-52, decision lb-0011). Outlier
   * detection has no effect on pick_first, which considers nothing but connectivity (A61).
   */
  default boolean excludesEjected() {
    return true;
  }

  /** Picks a locality by weight; {@code child} then picks an endpoint of the locality. */
  record WrrLocality(BalancingPolicy child) implements BalancingPolicy {
    @Override
    public boolean excludesEjected() {
      return child.excludesEjected();
    }
  }

  /**
   * Applies {@code child} to a random subset of the endpoints. Each process chooses its own subset
   * (A68).
   *
   * @param subsetSize the maximum size of the subset, 1 to {@link #LARGEST}
   */
  record RandomSubsetting(long subsetSize, BalancingPolicy child) implements BalancingPolicy {
    public static final String POLICY = "random_subsetting";
    public static final long LARGEST = 0xFFFF_FFFFL; // A68: unsigned 32 bit

    public RandomSubsetting {
      if (subsetSize < 1 || subsetSize > LARGEST) {
        throw new IllegalArgumentException("subset_size is " + subsetSize);
      }
    }

    @Override
    public boolean excludesEjected() {
      return child.excludesEjected();
    }
  }

  sealed interface EndpointPicking extends BalancingPolicy {
    String policy();

    /** Whether the weight of an endpoint is multiplied by the weight of its locality (A113). */
    default boolean weighsLocalities() {
      return false;
    }
  }

  record RoundRobin() implements EndpointPicking {
    @Override
    public String policy() {
      return "round_robin";
    }
  }

  /**
   * Uses the first address that connects (A62). With {@code shuffle}, endpoints of greater weight
   * tend to come first.
   */
  record PickFirst(boolean shuffle) implements EndpointPicking {
    @Override
    public String policy() {
      return "pick_first";
    }

    @Override
    public boolean excludesEjected() {
      return false;
    }

    @Override
    public boolean weighsLocalities() {
      return true;
    }
  }

  /**
   * Picks an endpoint by the request's hash on a ring (A42).
   *
   * @param minSize the smallest size of the ring, at most {@code maxSize}
   * @param maxSize the largest size of the ring, at most {@link #LARGEST}
   * @param requestHashHeader the lower-case name of the header whose value is hashed (A76); empty
   *     when the route's hash policies apply
   */
  record RingHash(long minSize, long maxSize, String requestHashHeader) implements EndpointPicking {
    public static final long DEFAULT_MIN_SIZE = 1024; // A42-02
    public static final long LARGEST = 8 * 1024 * 1024; // A42-02, also the default

    @Override
    public String policy() {
      return "ring_hash";
    }

    @Override
    public boolean weighsLocalities() {
      return true;
    }
  }

  /**
   * Draws a few endpoints, and picks the drawn endpoint with the fewest requests in flight (A48).
   *
   * @param choices the number of endpoints drawn per pick, 2 to {@link #MAX_CHOICES}
   */
  record LeastRequest(int choices) implements EndpointPicking {
    public static final int DEFAULT_CHOICES = 2; // A48-01
    public static final int MAX_CHOICES = 10; // A48-01

    @Override
    public String policy() {
      return "least_request";
    }
  }

  /**
   * Picks endpoints in turn, with weights computed from their load reports (A58, A114).
   *
   * @param oob whether load reports come on a separate stream instead of with each response
   * @param oobPeriod the requested interval of load reports on a separate stream
   * @param blackout the time from an endpoint's first load report until its weight is used
   * @param expiration the time after which a load report is stale
   * @param updatePeriod the interval between two updates of the weights, at least {@link
   *     #MIN_UPDATE_PERIOD}
   * @param errorPenalty the factor of the error rate; the product is added to the utilization; not
   *     negative
   * @param utilizationMetrics the names of metrics, such as {@code named_metrics.queue}; the
   *     largest of their values is the utilization
   */
  record WeightedRoundRobin(
      boolean oob,
      Duration oobPeriod,
      Duration blackout,
      Duration expiration,
      Duration updatePeriod,
      double errorPenalty,
      List<String> utilizationMetrics)
      implements EndpointPicking {
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

    @Override
    public String policy() {
      return "weighted_round_robin";
    }
  }
}
