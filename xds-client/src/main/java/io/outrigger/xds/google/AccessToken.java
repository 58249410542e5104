package io.outrigger.xds.google;

import java.time.Duration;

/**
 * A bearer token (RFC 6750).
 *
 * @param text as it stands in a header
 * @param lifetime from the moment in which it was asked for; longer than {@link #MARGIN}
 */
public record AccessToken(String text, Duration lifetime) {
  /** A token that is nearer to its end is not sent: it might end on its way. */
  public static final Duration MARGIN = Duration.ofSeconds(30);

  public AccessToken {
    if (lifetime.compareTo(MARGIN) <= 0) {
      throw new IllegalArgumentException("a token that ends within " + MARGIN);
    }
  }

  /** For how long it may be sent. */
  public Duration usable() {
    return lifetime.minus(MARGIN);
  }

  @Override
  public String toString() {
    return "token for " + lifetime; // never the token itself
  }
}
