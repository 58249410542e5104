package io.outrigger.identity.certificate;

import io.outrigger.base.AnyThread;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.config.tls.SubjectAltName;
import io.outrigger.config.tls.SubjectAltName.Kind;
import io.outrigger.config.tls.TlsSettings;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Verifies the certificate chain of a peer. The chain must lead to the roots (A29, A82); if there
 * is a SPIFFE bundle map, to the roots of the peer's own trust domain (A87). The names of the leaf
 * must be accepted by the settings (A29-03, A101); no other host name check is done. All
 * connections with the same settings and roots share one verifier.
 */
@AnyThread
public final class PeerVerifier {
  private static final String FAILED = "certificate verify failed: ";

  private final TlsSettings settings;
  private final Roots roots;
  private final PeerRole role;
  private final TrustedRoots all;
  private final Map<String, TrustedRoots> byTrustDomain = new HashMap<>();

  private PeerVerifier(TlsSettings settings, Roots roots, PeerRole role) {
    this.settings = settings;
    this.role = role;
    this.roots = roots;
    all = new TrustedRoots(roots.certificates(), role);
    if (roots instanceof Roots.SpiffeBundles bundles) {
      bundles
          .byTrustDomain()
          .forEach((domain, bundle) -> byTrustDomain.put(domain, new TrustedRoots(bundle, role)));
    }
  }

  public static PeerVerifier of(TlsMaterial material) {
    return new PeerVerifier(material.settings(), material.roots(), material.peerRole());
  }

  /**
   * Returns why a peer is not accepted in a handshake; empty when it is accepted. TLS libraries
   * call this method on event loops, so it must be fast.
   *
   * @param chain the certificates in the order received, leaf first
   * @param serverName the name sent as SNI; empty when none was sent
   */
  public Optional<CertificateRefusal> objection(
      List<X509Certificate> chain, Optional<String> serverName) {
    return judge(chain, serverName, Optional.of(Instant.now()));
  }

  /**
   * Returns why this verifier refuses the peer of an open connection; empty when it accepts the
   * peer. Validity dates are checked only in handshakes: an open connection survives the expiry of
   * its certificate.
   */
  public Optional<CertificateRefusal> objectionToOpen(
      List<X509Certificate> chain, Optional<String> serverName) {
    return judge(chain, serverName, Optional.empty());
  }

  private Optional<CertificateRefusal> judge(
      List<X509Certificate> chain, Optional<String> serverName, Optional<Instant> now) {
    if (chain.isEmpty()) {
      return failed("the " + role.word() + " has shown no certificate");
    }
    try {
      List<SubjectAltName> names = CertificateNames.of(chain.get(0));
      return untrusted(chain, names, now).or(() -> misnamed(names, serverName));
    } catch (RuntimeException | StackOverflowError malformed) { // of the JDK's parsers
      return failed("the " + role.word() + "'s certificate is malformed");
    }
  }

  private Optional<CertificateRefusal> misnamed(
      List<SubjectAltName> names, Optional<String> serverName) {
    try {
      return settings
          .objection(names, serverName)
          .map(text -> new CertificateRefusal(HandshakeResult.CERTIFICATE_HOSTNAME_MISMATCH, text));
    } catch (StackOverflowError e) { // RE2/J recurses into successive optional parts
      return failed("a regular expression for its names is too large to match");
    }
  }

  private Optional<CertificateRefusal> untrusted(
      List<X509Certificate> chain, List<SubjectAltName> names, Optional<Instant> now) {
    if (!(roots instanceof Roots.SpiffeBundles)) {
      return untrusted(chain, all, now);
    }
    List<SubjectAltName> uris = names.stream().filter(name -> name.kind() == Kind.URI).toList();
    if (uris.size() != 1) { // A87 "Configuring SPIFFE Verification via xDS" step 1
      return failed("it has " + uris.size() + " URI SANs where SPIFFE requires exactly one");
    }
    Optional<SpiffeId> id = SpiffeId.parse(uris.get(0).value());
    if (id.isEmpty()) {
      return failed(uris.get(0) + " is not a SPIFFE ID");
    }
    TrustedRoots bundle = byTrustDomain.get(id.get().trustDomain());
    return bundle == null || bundle.isEmpty()
        ? failed(
            HandshakeResult.CERTIFICATE_AUTHORITY_INVALID,
            "the trust bundle map has no roots for trust domain \"" + id.get().trustDomain() + "\"")
        : untrusted(chain, bundle, now);
  }

  private static Optional<CertificateRefusal> untrusted(
      List<X509Certificate> chain, TrustedRoots roots, Optional<Instant> now) {
    return roots.isEmpty()
        ? failed(HandshakeResult.CERTIFICATE_AUTHORITY_INVALID, "there are no roots")
        : roots
            .objection(chain, now)
            .map(refusal -> new CertificateRefusal(refusal.result(), FAILED + refusal.text()));
  }

  private static Optional<CertificateRefusal> failed(String text) {
    return failed(HandshakeResult.CERTIFICATE_VERIFICATION_FAILED, text);
  }

  private static Optional<CertificateRefusal> failed(HandshakeResult result, String text) {
    return Optional.of(new CertificateRefusal(result, FAILED + text));
  }
}
