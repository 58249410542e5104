package io.outrigger.dataplane.route;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.dataplane.filter.FilterChain;
import io.outrigger.lb.tree.ClusterHandle;
import java.util.Map;

/** What routing decided for one request; built beforehand and shared. */
public sealed interface RouteDecision {
  /**
   * Forward to {@code cluster}, which has been acquired for the call: release it once.
   *
   * @param action of {@code route}
   * @param limit the route's limit, to be combined with the app's deadline
   * @param ownLimit what the limit would be without local policy
   * @param filters what the request passes before it is sent
   * @param clusters by name, all that the route may choose; a filter may choose another of them
   */
  record Forward(
      ClusterHandle cluster,
      Route route,
      RouteAction.Forward action,
      EffectiveTimeout limit,
      EffectiveTimeout ownLimit,
      FilterChain filters,
      Map<String, ClusterHandle> clusters)
      implements RouteDecision {
    /**
     * Takes the route's cluster of that name for the call instead (A60 "Config Selector Changes").
     *
     * @param held the cluster that the call holds; released when another takes its place
     * @return the one that the call holds now: {@code held} when the route has no such cluster, or
     *     has none any more
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
   * Answer the request here.
   *
   * @param reason the word for {@code x-outrigger-local}, such as {@code no_route}
   */
  record Reject(RpcStatus status, String reason) implements RouteDecision {}
}
