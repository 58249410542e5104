package io.outrigger.dataplane.route;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.dataplane.filter.FilterChain;
import io.outrigger.lb.tree.ClusterHandle;
import java.util.Map;

/** The routing decision for a request; prepared in advance and shared by requests. */
public sealed interface RouteDecision {
  /**
   * Forwards the request to {@code cluster}, which was acquired for the call; the caller must
   * release the cluster once.
   *
   * @param limit the route's time limit, to be combined with the app's deadline
   * @param filters the filters that run before the request is sent
   * @param clusters all clusters of a weighted route, by name; a filter may change the call to
   *     another of these clusters
   */
  record Forward(
      ClusterHandle cluster,
      Route route,
      RouteAction.Forward action,
      EffectiveTimeout limit,
      FilterChain filters,
      Map<String, ClusterHandle> clusters)
      implements RouteDecision {
    /**
     * Changes the call to the route's cluster {@code name} (A60 "Config Selector Changes").
     *
     * @param held the cluster that the call holds; released when the call changes to another
     *     cluster
     * @return the cluster that the call holds now. The call stays in its previous cluster when the
     *     route does not have the new cluster, or when the new cluster was retired
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

  /**
   * Rejects the request without forwarding it.
   *
   * @param reason the value of {@code x-outrigger-local}, such as {@code no_route}
   * @param httpStatus the {@code :status} for a request that is not gRPC; 0 for the usual status of
   *     {@code reason}
   */
  record Reject(RpcStatus status, String reason, int httpStatus) implements RouteDecision {
    /** Creates a rejection with the usual HTTP status of {@code reason}. */
    public Reject(RpcStatus status, String reason) {
      this(status, reason, 0);
    }
  }
}
