package io.outrigger.dataplane.route;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.route.ClusterChoice.WeightedCluster;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The decisions of one route, prepared when the route is published. For each request, one decision
 * is chosen at random, in proportion to the weights of the clusters (A31-34).
 */
@AnyThread
final class RouteChoice {
  private final RouteDecision[] decisions;

  /** For each decision, the sum of its routing weight and the weights of all earlier decisions. */
  private final long[] sums;

  private RouteChoice(RouteDecision[] decisions, long[] sums) {
    this.decisions = decisions;
    this.sums = sums;
  }

  static RouteChoice of(RouteDecision only) {
    return new RouteChoice(new RouteDecision[] {only}, new long[] {1});
  }

  static RouteChoice of(
      List<WeightedCluster> clusters, Function<WeightedCluster, RouteDecision> decide) {
    long[] sums = clusters.stream().mapToLong(WeightedCluster::weight).toArray();
    for (int i = 1; i < sums.length; i++) {
      sums[i] += sums[i - 1];
    }
    return new RouteChoice(clusters.stream().map(decide).toArray(RouteDecision[]::new), sums);
  }

  /**
   * Returns a decision whose cluster is acquired, a rejection, or null when the cluster was
   * retired.
   */
  @Nullable RouteDecision choose(RandomSource random) {
    int i = 0;
    if (decisions.length > 1) {
      long drawn = random.nextLong(sums[sums.length - 1], Purpose.CLUSTER_WEIGHT);
      while (drawn >= sums[i]) {
        i++;
      }
    }
    RouteDecision decision = decisions[i];
    return decision instanceof RouteDecision.Forward forward && !forward.cluster().acquire()
        ? null
        : decision;
  }

  /** Whether this route may refuse requests. */
  boolean hasGuards() {
    return decisions[0] instanceof RouteDecision.Forward own && !own.filters().guards().isEmpty();
  }

  /** Adds this route's guards in front of the filters of {@code other}, and returns the result. */
  RouteDecision guard(RouteDecision other) {
    return other instanceof RouteDecision.Forward call
            && decisions[0] instanceof RouteDecision.Forward own
        ? call.filteredBy(call.filters().afterGuardsOf(own.filters()))
        : other;
  }
}
