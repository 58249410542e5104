package io.outrigger.config.cluster;

import java.time.Duration;
import java.util.List;

/**
 * The settings of a cluster's policy (A27, A52); the class says which policy. A new one is a record
 * here, a decoder in {@code xds.decode.PolicyRegistry} and a policy in {@code
 * lb.endpoint.LeafPolicies}.
 */
public sealed interface BalancingPolicy {
  /**
   * Whether an ejected endpoint (A50) gets no calls. A61: pick_first goes by connections alone, so
   * nothing is detected for it; every other policy lets an ejected endpoint rest (A50-52, decision
   * 0011).
   */
  default boolean heedsEjections() {
    return true;
  }

  /** Localities by weight, {@code child} within each. */
  record WrrLocality(BalancingPolicy child) implements BalancingPolicy {
    @Override
    public boolean heedsEjections() {
      return child.heedsEjections();
    }
  }

  /**
   * {@code child} among a random part of the endpoints, which each process chooses for itself
   * (A68).
   *
   * @param subsetSize how many endpoints are in it, 1 to {@link #LARGEST}; all, where there are
   *     fewer
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
    public boolean heedsEjections() {
      return child.heedsEjections();
    }
  }

  /** A leaf of the tree: picks an endpoint. */
  sealed interface EndpointPicking extends BalancingPolicy {
    /** The policy's name in gRPC's registry, as status views show it. */
    String policy();

    /** Whether endpoints of several localities weigh as their localities do (A113). */
    default boolean weighsLocalities() {
      return false;
    }
  }

  /** Each READY endpoint in turn. */
  record RoundRobin() implements EndpointPicking {
    @Override
    public String policy() {
      return "round_robin";
    }
  }

  /** The first address that connects (A62); shuffled, those of heavier endpoints come first. */
  record PickFirst(boolean shuffle) implements EndpointPicking {
    @Override
    public String policy() {
      return "pick_first";
    }

    @Override
    public boolean heedsEjections() {
      return false;
    }

    @Override
    public boolean weighsLocalities() {
      return true;
    }
  }

  /**
   * The endpoint that the request's hash falls to (A42).
   *
   * @param minSize of the ring, at most {@code maxSize}
   * @param maxSize of the ring, at most {@link #LARGEST}
   * @param requestHashHeader lower case; the header whose value is hashed instead of what the route
   *     says (A76); empty when the route decides
   */
  record RingHash(long minSize, long maxSize, String requestHashHeader) implements EndpointPicking {
    public static final long DEFAULT_MIN_SIZE = 1024; // A42-02
    public static final long LARGEST = 8 * 1024 * 1024; // A42-02, the default as well

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
   * The endpoint with the fewest requests in flight among a few drawn at random (A48).
   *
   * @param choices how many are drawn, 2 to {@link #MAX_CHOICES}
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
