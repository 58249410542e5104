package io.outrigger.identity.certificate;

import io.outrigger.config.tls.DownstreamTls;
import io.outrigger.config.tls.TlsSettings;
import java.util.Optional;

/**
 * The settings and the certificates of a TLS connection. Connections with equal settings and
 * certificates can share one TLS context (A29-20).
 *
 * @param identity the certificate to present; empty when the settings name none
 * @param roots the roots for peers; empty when peers need no certificate
 */
public record TlsMaterial(TlsSettings settings, Optional<Identity> identity, Roots roots) {
  public PeerRole peerRole() {
    return settings instanceof DownstreamTls ? PeerRole.CLIENT : PeerRole.SERVER;
  }
}
