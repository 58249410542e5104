package io.outrigger.config.tls;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The settings of one side of TLS connections. */
public sealed interface TlsSettings permits UpstreamTls, DownstreamTls {
  /**
   * The certificate that this side presents, as the name of an instance of the bootstrap's {@code
   * certificate_providers}; empty for no certificate.
   */
  Optional<String> certificate();

  /** The source of the roots by which peers are verified; empty to ask peers for no certificate. */
  Optional<TrustSource> trust();

  /** The protocols to offer by ALPN before {@code h2}; each of them means HTTP/2, too. */
  default List<String> alpn() {
    return List.of();
  }

  /**
   * Returns the reason why a peer with these names is not accepted, or empty when it is accepted.
   *
   * @param serverName the server name that was sent in SNI; empty when none was sent
   */
  Optional<String> objection(Collection<SubjectAltName> names, Optional<String> serverName);
}
