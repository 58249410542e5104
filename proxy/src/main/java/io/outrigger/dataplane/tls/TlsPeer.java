package io.outrigger.dataplane.tls;

import io.outrigger.base.PlainText;
import io.outrigger.config.tls.SubjectAltName;
import io.outrigger.identity.certificate.CertificateNames;
import io.outrigger.identity.certificate.PeerRole;
import io.outrigger.identity.certificate.PeerTrustManager;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * The peer of a TLS connection.
 *
 * @param protocol the TLS version, such as {@code TLSv1.3}
 * @param cipher the cipher suite's IANA name
 * @param chain the peer's certificates, leaf first; empty for a client without a certificate
 * @param serverName the name sent to a server as SNI
 */
public record TlsPeer(
    String protocol, String cipher, List<X509Certificate> chain, Optional<String> serverName) {
  public TlsPeer {
    chain = List.copyOf(chain);
  }

  static TlsPeer of(TlsHandler tls, Optional<String> serverName) throws SSLPeerUnverifiedException {
    SSLSession session = tls.engine().getSession();
    List<X509Certificate> chain;
    try {
      chain = List.of(chain(session));
    } catch (SSLPeerUnverifiedException anonymous) {
      if (tls.peer() == PeerRole.SERVER || tls.engine().getNeedClientAuth()) {
        throw anonymous;
      }
      chain = List.of();
    }
    session.invalidate(); // or the JDK would resume this session of TLS 1.2
    return new TlsPeer(session.getProtocol(), session.getCipherSuite(), chain, serverName);
  }

  private static X509Certificate[] chain(SSLSession session) throws SSLPeerUnverifiedException {
    try {
      return PeerTrustManager.shared(
          Stream.of(session.getPeerCertificates())
              .filter(X509Certificate.class::isInstance)
              .toArray(X509Certificate[]::new));
    } catch (CertificateException e) { // not expected: a trust manager has parsed the chain
      throw new SSLPeerUnverifiedException(String.valueOf(e.getMessage()));
    }
  }

  /** The peer's name for operators: the first URI SAN, else the first DNS SAN, else the subject. */
  public String name() {
    X509Certificate leaf = chain.get(0);
    List<SubjectAltName> names = CertificateNames.of(leaf);
    return PlainText.of(
        Stream.of(SubjectAltName.Kind.URI, SubjectAltName.Kind.DNS)
            .flatMap(kind -> CertificateNames.ofKind(kind, names).stream())
            .findFirst()
            .orElse(leaf.getSubjectX500Principal().getName()));
  }

  public Instant expiry() {
    return chain.get(0).getNotAfter().toInstant();
  }
}
