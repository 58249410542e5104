package io.outrigger.config.route;

/** A route's rewrite of {@code :authority}; only trusted control planes may set it (A81, A111). */
public sealed interface HostRewrite {
  HostRewrite NONE = new None();

  /**
   * Returns the authority that the given rewrite sets for an endpoint, or an empty text if the
   * rewrite sets no authority.
   *
   * @param hostname the host name of the endpoint; empty for none
   */
  static String authority(HostRewrite rewrite, String hostname) {
    String own = rewrite instanceof OfEndpoint ? hostname : "";
    return rewrite instanceof Literal literal ? literal.authority() : own;
  }

  record None() implements HostRewrite {}

  /** Replaces the authority by the host name of the picked endpoint, if any (A81). */
  record OfEndpoint() implements HostRewrite {}

  record Literal(String authority) implements HostRewrite {}
}
