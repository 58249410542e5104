package io.outrigger.identity.token;

import java.time.Duration;

/**
 * A bearer token (RFC 6750).
 *
 * @param text the token as sent in a header
 * @param lifetime the validity, counted from the time of the request
 */
public record AccessToken(String text, Duration lifetime) {
  /**
   * The remaining lifetime below which a token is not reused, because it might expire in transit.
   */
  public static final Duration MARGIN = Duration.ofSeconds(30);

  /**
   * How long the token may be reused for later calls; not positive when the token is about to
   * expire.
   */
  public Duration usable() {
    return lifetime.minus(MARGIN);
  }

  @Override
  public String toString() {
    return "token for " + lifetime; // never the token itself
  }
}
