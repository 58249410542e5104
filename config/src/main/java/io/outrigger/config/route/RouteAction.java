package io.outrigger.config.route;

/** What a matching route does. */
public sealed interface RouteAction {
  /** Forwards to a cluster. */
  record Forward(ClusterChoice clusters, RouteTimeout timeout, boolean autoHostRewrite)
      implements RouteAction {}

  /** A kind that a proxyless client cannot perform: a match fails the request (A31-39). */
  record Unsupported(String kind) implements RouteAction {}
}
