package io.outrigger.config.tls;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The settings of one side of TLS connections. */
public sealed interface TlsSettings permits UpstreamTls, DownstreamTls {
  /** The instance name of the provider for the certificate that this side presents, if any. */
  Optional<String> certificate();

  /** The source of the roots that verify peers; empty to request no certificate from peers. */
  Optional<TrustSource> trust();

  default List<String> alpn() {
    return List.of();
  }

  /**
   * Returns the reason why a peer with the given names is refused; empty if the peer is accepted.
   *
   * @param serverName the server name that was sent in SNI; empty if no SNI was sent
   */
  Optional<String> objection(Collection<SubjectAltName> names, Optional<String> serverName);
}
