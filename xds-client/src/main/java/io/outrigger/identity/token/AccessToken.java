package io.outrigger.identity.token;

import java.time.Duration;

/**
 * A bearer token (RFC 6750).
 *
 * @param text as it stands in a header
 * @param lifetime from the moment in which it was asked for
 */
public record AccessToken(String text, Duration lifetime) {
  /** A token that is nearer to its end is not kept: it might end on its way. */
  public static final Duration MARGIN = Duration.ofSeconds(30);

  /** For how long it may be sent to calls that come later; not positive when it is near its end. */
  public Duration usable() {
    return lifetime.minus(MARGIN);
  }

  @Override
  public String toString() {
    return "token for " + lifetime; // never the token itself
  }
}
