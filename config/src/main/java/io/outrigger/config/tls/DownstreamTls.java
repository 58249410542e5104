package io.outrigger.config.tls;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The TLS settings of a server's connections (A29 "LDS for Server Side Security").
 *
 * @param identity the instance name of the certificate provider for the server's certificate
 * @param roots the instance name of the certificate provider whose roots verify client
 *     certificates; empty to request no client certificate
 * @param sanMatchers the matchers for names of client certificates; empty to accept every name
 */
public record DownstreamTls(
    String identity,
    Optional<String> roots,
    boolean requireClientCertificate,
    List<SanMatcher> sanMatchers)
    implements TlsSettings {
  public DownstreamTls {
    sanMatchers = List.copyOf(sanMatchers);
    if (requireClientCertificate && roots.isEmpty()) {
      throw new IllegalArgumentException("client certificates need roots");
    }
  }

  @Override
  public Optional<String> certificate() {
    return Optional.of(identity);
  }

  @Override
  public Optional<TrustSource> trust() {
    return roots.map(TrustSource.Provider::new);
  }

  @Override
  public Optional<String> objection(Collection<SubjectAltName> names, Optional<String> serverName) {
    return SanMatcher.objection(sanMatchers, names);
  }
}
