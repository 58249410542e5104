package io.outrigger.config.tls;

/** The source of the root certificates by which server certificates are verified. */
public sealed interface TrustSource {
  /** Roots from a certificate provider of the bootstrap (A29). */
  record Provider(ProviderInstance instance) implements TrustSource {}

  /** The root certificates of the system (A82). */
  record SystemRoots() implements TrustSource {}
}
