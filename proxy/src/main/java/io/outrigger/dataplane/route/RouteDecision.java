package io.outrigger.dataplane.route;

import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.dataplane.filter.FilterChain;
import io.outrigger.dataplane.filter.FilterStep;
import io.outrigger.lb.tree.ClusterHandle;
import java.util.Map;

/** The routing decision for a request; prepared in advance and shared by requests. */
public sealed interface RouteDecision {
  /**
   * Forwards the request to a cluster that was acquired for the call; the caller must release the
   * cluster once.
   *
   * @param limit the route's time limit, to be combined with the app's deadline
   * @param filters the filters that run before the request is sent
   * @param clusters the clusters of a weighted route, by name
   */
  record Forward(
      ClusterHandle cluster,
      Route route,
      RouteAction.Forward action,
      EffectiveTimeout limit,
      FilterChain filters,
      Map<String, ClusterHandle> clusters)
      implements RouteDecision {
    Forward filteredBy(FilterChain filters) {
      return new Forward(cluster, route, action, limit, filters, clusters);
    }

    /**
     * Moves the call to the route's cluster with the given name (A60 "Config Selector Changes").
     *
     * @param held the call's current cluster, which is released when the call changes to another
     *     cluster
     * @return the named cluster; the current cluster if the route lacks the named cluster, or if
     *     the named cluster was retired
     */
    public ClusterHandle change(ClusterHandle held, String name) {
      ClusterHandle other = clusters.get(name);
      if (other == null || other == held || !other.acquire()) {
        return held;
      }
      held.release();
      return other;
    }
  }

  /** Rejects the request without forwarding it. */
  record Reject(FilterStep.Answer answer) implements RouteDecision {}
}
