package io.outrigger.config.route;

import java.util.List;

/** What a matching route does. */
public sealed interface RouteAction {
  /**
   * Forwards to a cluster.
   *
   * @param hashPolicies what goes into the request's hash, in order (A42)
   */
  record Forward(
      ClusterChoice clusters,
      RouteTimeout timeout,
      boolean autoHostRewrite,
      List<HashPolicy> hashPolicies)
      implements RouteAction {
    public Forward {
      hashPolicies = List.copyOf(hashPolicies);
    }

    /** Without hash policies. */
    public Forward(ClusterChoice clusters, RouteTimeout timeout, boolean autoHostRewrite) {
      this(clusters, timeout, autoHostRewrite, List.of());
    }
  }

  /** A kind that a proxyless client cannot perform: a match fails the request (A31-39). */
  record Unsupported(String kind) implements RouteAction {}
}
