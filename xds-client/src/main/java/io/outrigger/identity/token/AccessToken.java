package io.outrigger.identity.token;

import java.time.Duration;

/** A bearer token (RFC 6750); its lifetime counts from the time of the request. */
public record AccessToken(String text, Duration lifetime) {
  /** The remaining lifetime below which a token is not reused: it might expire in transit. */
  public static final Duration MARGIN = Duration.ofSeconds(30);

  /** How long the token may be reused; zero or negative when the token is about to expire. */
  public Duration usable() {
    return lifetime.minus(MARGIN);
  }

  @Override
  public String toString() {
    return "token for " + lifetime; // omits the token itself
  }
}
