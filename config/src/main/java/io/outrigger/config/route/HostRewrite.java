package io.outrigger.config.route;

/** A route's rewrite of {@code :authority}, if the control plane is trusted (A81, A111). */
public sealed interface HostRewrite {
  HostRewrite NONE = new None();

  record None() implements HostRewrite {}

  /**
   * The authority becomes the host name of the picked endpoint, if the endpoint has a host name
   * (A81).
   */
  record OfEndpoint() implements HostRewrite {}

  record Literal(String authority) implements HostRewrite {}
}
