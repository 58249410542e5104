package io.outrigger.config.tls;

/** The source of the root certificates that verify peers. */
public sealed interface TrustSource {
  /** Roots from an instance of the bootstrap's {@code certificate_providers} (A29). */
  record Provider(String instance) implements TrustSource {}

  /** The root certificates of the system (A82). */
  record SystemRoots() implements TrustSource {}
}
