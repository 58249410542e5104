package io.outrigger.config.route;

import java.util.List;
import java.util.Optional;

/** The action of a matching route. */
public sealed interface RouteAction {
  /**
   * Forwards the request to a cluster.
   *
   * @param hashPolicies the inputs of the request's hash, in order (A42)
   * @param retry the retry policy of the route, or else of the virtual host (A44-04)
   */
  record Forward(
      ClusterChoice clusters,
      RouteTimeout timeout,
      HostRewrite hostRewrite,
      List<HashPolicy> hashPolicies,
      Optional<RetryPolicy> retry)
      implements RouteAction {
    public Forward {
      hashPolicies = List.copyOf(hashPolicies);
    }

    public Forward(ClusterChoice clusters, RouteTimeout timeout) {
      this(clusters, timeout, HostRewrite.NONE, List.of(), Optional.empty());
    }
  }

  /**
   * Passes the request to the server's application (A36). On a client, requests with this action
   * fail (A31-39).
   */
  record NonForwarding() implements RouteAction {}

  /** An action that proxyless clients do not support; requests with this action fail (A31-39). */
  record Unsupported(String kind) implements RouteAction {}
}
