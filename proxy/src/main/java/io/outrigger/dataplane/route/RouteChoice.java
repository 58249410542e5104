package io.outrigger.dataplane.route;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.route.ClusterChoice.WeightedCluster;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The decisions of one route, prepared when the route is published. One of these decisions is
 * chosen for each request.
 */
@AnyThread
sealed interface RouteChoice {
  /**
   * Returns a decision whose cluster is acquired, a rejection, or null when the cluster was
   * retired.
   */
  @Nullable RouteDecision choose(RandomSource random);

  private static @Nullable RouteDecision acquired(RouteDecision decision) {
    if (decision instanceof RouteDecision.Forward forward && !forward.cluster().acquire()) {
      return null;
    }
    return decision;
  }

  /** Always chooses the same decision. */
  record Fixed(RouteDecision decision) implements RouteChoice {
    @Override
    public @Nullable RouteDecision choose(RandomSource random) {
      return acquired(decision);
    }
  }

  /** Chooses a decision at random by cluster weight (A31-34). */
  final class Weighted implements RouteChoice {
    private final long[] upTo;
    private final RouteDecision[] decisions;

    private Weighted(long[] upTo, RouteDecision[] decisions) {
      this.upTo = upTo;
      this.decisions = decisions;
    }

    static Weighted of(
        List<WeightedCluster> clusters, Function<WeightedCluster, RouteDecision> decide) {
      long[] upTo = new long[clusters.size()];
      RouteDecision[] decisions = new RouteDecision[clusters.size()];
      long sum = 0;
      for (int i = 0; i < upTo.length; i++) {
        sum += clusters.get(i).weight();
        upTo[i] = sum;
        decisions[i] = decide.apply(clusters.get(i));
      }
      return new Weighted(upTo, decisions);
    }

    @Override
    public @Nullable RouteDecision choose(RandomSource random) {
      long drawn = random.nextLong(upTo[upTo.length - 1], Purpose.CLUSTER_WEIGHT);
      int i = 0;
      while (drawn >= upTo[i]) {
        i++;
      }
      return acquired(decisions[i]);
    }
  }
}
