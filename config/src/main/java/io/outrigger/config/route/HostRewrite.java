package io.outrigger.config.route;

/**
 * What a route makes of the {@code :authority}, where the control plane is trusted with it (A81,
 * A111).
 */
public sealed interface HostRewrite {
  /** Nothing: it stays as it would be without the route. */
  HostRewrite NONE = new None();

  /** See {@link #NONE}. */
  record None() implements HostRewrite {}

  /** The host name of the endpoint that was picked, where it has one (A81). */
  record OfEndpoint() implements HostRewrite {}

  /** This text (A111). */
  record Literal(String authority) implements HostRewrite {}
}
