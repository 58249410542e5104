package io.outrigger.xds.certificate;

import io.outrigger.base.AnyThread;
import io.outrigger.base.PlainText;
import io.outrigger.config.tls.SubjectAltName;
import io.outrigger.config.tls.SubjectAltName.Kind;
import io.outrigger.config.tls.UpstreamTls;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * Judges the certificate chain of a server: whether it leads to the roots (A29, A82), for a SPIFFE
 * bundle map to those of its own trust domain (A87), and whether its names are accepted (A29-03,
 * A101). Host names are not looked at otherwise. Made once for all connections that share settings
 * and roots.
 */
@AnyThread
public final class ServerVerifier {
  private static final String FAILED = "certificate verify failed: ";

  private final UpstreamTls settings;
  private final Roots roots;
  private final Map<String, X509TrustManager> byTrustDomain = new HashMap<>();
  private final Optional<X509TrustManager> authorities;

  private ServerVerifier(UpstreamTls settings, Roots roots) {
    this.settings = settings;
    this.roots = roots;
    if (roots instanceof Roots.SpiffeBundles bundles) {
      bundles
          .byTrustDomain()
          .forEach(
              (domain, bundle) ->
                  trustManager(bundle).ifPresent(each -> byTrustDomain.put(domain, each)));
      authorities = Optional.empty();
    } else {
      authorities = trustManager(roots.certificates());
    }
  }

  /** Takes a moment for each root: not for event loops. */
  public static ServerVerifier of(TlsMaterial material) {
    return new ServerVerifier(material.settings(), material.roots());
  }

  /** Empty without roots, which the JDK refuses to make one for. */
  private static Optional<X509TrustManager> trustManager(List<X509Certificate> roots) {
    if (roots.isEmpty()) {
      return Optional.empty();
    }
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      for (int i = 0; i < roots.size(); i++) {
        store.setCertificateEntry("root " + i, roots.get(i));
      }
      TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
      factory.init(store);
      return Stream.of(factory.getTrustManagers())
          .filter(X509TrustManager.class::isInstance)
          .map(X509TrustManager.class::cast)
          .findFirst();
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("no trust manager of certificates that were read", e);
    }
  }

  /**
   * Why a server is not accepted, for operators; empty when it is. Fit for event loops, where TLS
   * libraries ask.
   *
   * @param chain leaf first, as it came
   * @param authType as the TLS library has it
   * @param serverName that the server was asked for; empty when it was asked for none
   */
  public Optional<String> objection(
      X509Certificate[] chain, String authType, Optional<String> serverName) {
    if (chain.length == 0) {
      return Optional.of(FAILED + "the server has shown no certificate");
    }
    List<SubjectAltName> names = CertificateNames.of(chain[0]);
    return untrusted(chain, authType, names).or(() -> settings.objection(names, serverName));
  }

  private Optional<String> untrusted(
      X509Certificate[] chain, String authType, List<SubjectAltName> names) {
    if (!(roots instanceof Roots.SpiffeBundles)) {
      return untrusted(chain, authType, authorities);
    }
    List<SubjectAltName> uris = names.stream().filter(name -> name.kind() == Kind.URI).toList();
    if (uris.size() != 1) { // A87 "Configuring SPIFFE Verification via xDS" step 1
      return Optional.of(
          FAILED + "it has " + uris.size() + " URI SANs where SPIFFE asks for exactly one");
    }
    Optional<SpiffeId> id = SpiffeId.parse(uris.get(0).value());
    if (id.isEmpty()) {
      return Optional.of(FAILED + uris.get(0) + " is not a SPIFFE ID");
    }
    X509TrustManager bundle = byTrustDomain.get(id.get().trustDomain());
    return bundle == null
        ? Optional.of(
            FAILED
                + "the trust bundle map has no roots for trust domain \""
                + id.get().trustDomain()
                + "\"")
        : untrusted(chain, authType, Optional.of(bundle));
  }

  private static Optional<String> untrusted(
      X509Certificate[] chain, String authType, Optional<X509TrustManager> roots) {
    if (roots.isEmpty()) {
      return Optional.of(FAILED + "there are no roots");
    }
    try {
      roots.get().checkServerTrusted(chain, authType);
      return Optional.empty();
    } catch (CertificateException refused) {
      return Optional.of(FAILED + reason(chain, refused));
    }
  }

  /** The libraries' words fit no operator: the commonest reasons are found out here. */
  private static String reason(X509Certificate[] chain, CertificateException refused) {
    for (X509Certificate certificate : chain) {
      try {
        certificate.checkValidity();
      } catch (CertificateExpiredException e) {
        return subject(certificate) + " has expired at " + certificate.getNotAfter().toInstant();
      } catch (CertificateNotYetValidException e) {
        return subject(certificate)
            + " is not valid before "
            + certificate.getNotBefore().toInstant();
      }
    }
    Throwable cause = refused;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    X509Certificate last = chain[chain.length - 1];
    return cause instanceof CertPathBuilderException
        ? subject(chain[0])
            + " does not lead to a root; the last of its chain was issued by \""
            + PlainText.of(last.getIssuerX500Principal().getName())
            + "\""
        : subject(chain[0]) + ": " + PlainText.of(String.valueOf(cause.getMessage()));
  }

  private static String subject(X509Certificate certificate) {
    return "\"" + PlainText.of(certificate.getSubjectX500Principal().getName()) + "\"";
  }
}
