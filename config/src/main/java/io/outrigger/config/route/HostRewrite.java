package io.outrigger.config.route;

/** A route's rewrite of {@code :authority}, allowed only for trusted control planes (A81, A111). */
public sealed interface HostRewrite {
  HostRewrite NONE = new None();

  /** The authority that the route sets for an endpoint of that name; empty when it sets none. */
  default String authority(String hostname) {
    String own = this instanceof OfEndpoint ? hostname : "";
    return this instanceof Literal literal ? literal.authority() : own;
  }

  record None() implements HostRewrite {}

  /** Replaces the authority by the host name of the picked endpoint, if any (A81). */
  record OfEndpoint() implements HostRewrite {}

  record Literal(String authority) implements HostRewrite {}
}
