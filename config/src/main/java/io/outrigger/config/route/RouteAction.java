package io.outrigger.config.route;

import java.util.Optional;

/** What a matching route does. */
public sealed interface RouteAction {
  /**
   * Forwards to a cluster.
   *
   * @param retry the route's own policy or else its virtual host's (A44-04)
   */
  record Forward(
      ClusterChoice clusters,
      RouteTimeout timeout,
      boolean autoHostRewrite,
      Optional<RetryPolicy> retry)
      implements RouteAction {
    /** Without retries. */
    public Forward(ClusterChoice clusters, RouteTimeout timeout, boolean autoHostRewrite) {
      this(clusters, timeout, autoHostRewrite, Optional.empty());
    }
  }

  /** A kind that a proxyless client cannot perform: a match fails the request (A31-39). */
  record Unsupported(String kind) implements RouteAction {}
}
