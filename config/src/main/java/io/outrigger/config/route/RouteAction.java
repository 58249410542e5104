package io.outrigger.config.route;

import java.util.List;
import java.util.Optional;

/** What a matching route does. */
public sealed interface RouteAction {
  /**
   * Forwards to a cluster.
   *
   * @param hashPolicies what goes into the request's hash, in order (A42)
   * @param retry the route's own policy or else its virtual host's (A44-04)
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

    /** Without anything further. */
    public Forward(ClusterChoice clusters, RouteTimeout timeout) {
      this(clusters, timeout, HostRewrite.NONE, List.of(), Optional.empty());
    }
  }

  /** A kind that a proxyless client cannot perform: a match fails the request (A31-39). */
  record Unsupported(String kind) implements RouteAction {}
}
