package io.outrigger.config.tls;

/** Where the roots come from that a server's certificate must lead to. */
public sealed interface TrustSource {
  /** A certificate provider of the bootstrap (A29). */
  record Provider(ProviderInstance instance) implements TrustSource {}

  /** The roots of the system (A82). */
  record SystemRoots() implements TrustSource {}
}
