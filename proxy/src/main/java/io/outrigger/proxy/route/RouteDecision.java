package io.outrigger.proxy.route;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.route.Route;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.proxy.filter.FilterChain;

/** What routing decided for one request; built beforehand and shared. */
public sealed interface RouteDecision {
  /**
   * Forward to {@code cluster}, which has been acquired for the call: release it once.
   *
   * @param limit the route's limit, to be combined with the app's deadline
   * @param filters what the request passes before it is sent
   */
  record Forward(ClusterHandle cluster, Route route, EffectiveTimeout limit, FilterChain filters)
      implements RouteDecision {}

  /**
   * Answer the request here.
   *
   * @param reason the word for {@code x-outrigger-local}, such as {@code no_route}
   */
  record Reject(RpcStatus status, String reason) implements RouteDecision {}
}
