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
 * chosen for each request, at random by cluster weight (A31-34).
 */
@AnyThread
final class RouteChoice {
  private final RouteDecision[] decisions;

  /** For each decision, the sum of its weight and the weights of all decisions before it. */
  private final long[] upTo;

  private RouteChoice(RouteDecision[] decisions, long[] upTo) {
    this.decisions = decisions;
    this.upTo = upTo;
  }

  static RouteChoice of(RouteDecision only) {
    return new RouteChoice(new RouteDecision[] {only}, new long[] {1});
  }

  static RouteChoice of(
      List<WeightedCluster> clusters, Function<WeightedCluster, RouteDecision> decide) {
    long[] upTo = clusters.stream().mapToLong(WeightedCluster::weight).toArray();
    for (int i = 1; i < upTo.length; i++) {
      upTo[i] += upTo[i - 1];
    }
    return new RouteChoice(clusters.stream().map(decide).toArray(RouteDecision[]::new), upTo);
  }

  /**
   * Returns a decision whose cluster is acquired, a rejection, or null when the cluster was
   * retired.
   */
  @Nullable RouteDecision choose(RandomSource random) {
    int i = 0;
    if (decisions.length > 1) {
      long drawn = random.nextLong(upTo[upTo.length - 1], Purpose.CLUSTER_WEIGHT);
      while (drawn >= upTo[i]) {
        i++;
      }
    }
    RouteDecision decision = decisions[i];
    return decision instanceof RouteDecision.Forward forward && !forward.cluster().acquire()
        ? null
        : decision;
  }
}
