package io.outrigger.identity.certificate;

import io.outrigger.base.AnyThread;
import io.outrigger.base.PlainText;
import io.outrigger.config.tls.HandshakeResult;
import java.io.IOException;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.EdECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.PSSParameterSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * A set of root certificates. This class searches for a path from a peer's certificate to a root,
 * and verifies the path (RFC 5280 section 6).
 *
 * <p>The JDK verifies the certificates below a root but ignores the root's own dates, usages and
 * constraints. A root may be any certificate that an operator has put into a file, even an
 * intermediate or the peer's own. This class applies the same checks to a root and to the
 * certificates below it, as Go's verifier does. This class also checks the extended key usages of
 * all certificates of a path and rejects SHA-1.
 */
@AnyThread
final class TrustedRoots {
  /**
   * The maximum number of signatures verified for one chain. Certificates with the same name that
   * sign each other can form exponentially many paths. A signature takes up to 3 ms on an event
   * loop, and no real chain has ten signatures.
   */
  private static final int MAX_SIGNATURES = 30;

  /** The maximum size of RSA keys, as in Go. Larger keys take up to 0.1 s for each signature. */
  private static final int MAX_MODULUS_BITS = 8192;

  private static final int MAX_EXPONENT_BITS = 32;

  private static final String ANY_USAGE = "2.5.29.37.0";
  private static final String NAME_CONSTRAINTS = "2.5.29.30";

  /** The bit positions in the key usage extension (RFC 5280 section 4.2.1.3). */
  private static final int DIGITAL_SIGNATURE = 0;

  private static final int CERTIFICATE_SIGNATURE = 5;

  /** The first X.509 version whose certificates state whether they are an authority. */
  private static final int VERSION_3 = 3;

  private final Map<X500Principal, List<X509Certificate>> bySubject;

  private final PeerRole role;

  TrustedRoots(List<X509Certificate> roots, PeerRole role) {
    this.role = role;
    bySubject =
        roots.stream().collect(Collectors.groupingBy(X509Certificate::getSubjectX500Principal));
  }

  boolean isEmpty() {
    return bySubject.isEmpty();
  }

  /**
   * Returns why no path leads from the first certificate to a root; empty if a path exists. Takes
   * about 100 µs when the JDK has already verified the certificates.
   *
   * @param chain the peer's own certificate, then others in any order
   * @param now the time at which all certificates of a path must be valid; empty to ignore dates
   */
  Optional<CertificateRefusal> objection(List<X509Certificate> chain, Optional<Instant> now) {
    return new Search(chain, now).objection();
  }

  /** Tries one path after the other: roots are tried before certificates that the peer sent. */
  private final class Search {
    private final List<X509Certificate> sent;
    private final Optional<Instant> now;
    private final List<X509Certificate> path = new ArrayList<>();
    private int signatures;

    private @Nullable CertificateRefusal refusal;

    Search(List<X509Certificate> sent, Optional<Instant> now) {
      this.sent = sent;
      this.now = now;
    }

    Optional<CertificateRefusal> objection() {
      for (X509Certificate certificate : sent) {
        Optional<String> flaw = flaw(certificate.getPublicKey());
        if (flaw.isPresent()) {
          return unfit(certificate, flaw.get());
        }
      }
      X509Certificate leaf = sent.get(0);
      path.add(leaf);
      if (named(leaf.getSubjectX500Principal()).contains(leaf)) {
        return outOfDate(path).or(() -> unfitLeaf(leaf)); // the operator trusts the leaf itself
      }
      if (leadsToRoot(leaf)) {
        return Optional.empty();
      }
      if (refusal != null) {
        return Optional.of(refusal);
      }
      return signatures > MAX_SIGNATURES
          ? unfit(leaf, "its chain has too many certificates that sign each other")
          : refusal(
              HandshakeResult.CERTIFICATE_AUTHORITY_INVALID,
              leaf,
              "does not lead to a root; the last of its chain was issued by \""
                  + PlainText.of(sent.get(sent.size() - 1).getIssuerX500Principal().getName())
                  + "\"");
    }

    /** Whether the path that ends with this certificate can be extended to an accepted path. */
    private boolean leadsToRoot(X509Certificate last) {
      for (X509Certificate root : named(last.getIssuerX500Principal())) {
        if (isSignedBy(last, root)) {
          Optional<CertificateRefusal> objection = objectionToPath(root);
          if (objection.isEmpty()) {
            return true;
          }
          refusal = refusal == null ? objection.get() : refusal;
        }
      }
      for (X509Certificate issuer : sent) {
        if (issuer.getSubjectX500Principal().equals(last.getIssuerX500Principal())
            && !path.contains(issuer)
            && isSignedBy(last, issuer)) {
          path.add(issuer);
          if (leadsToRoot(issuer)) {
            return true;
          }
          path.remove(path.size() - 1);
        }
      }
      return false;
    }

    private boolean isSignedBy(X509Certificate certificate, X509Certificate issuer) {
      signatures++;
      if (signatures > MAX_SIGNATURES) {
        return false;
      }
      try {
        certificate.verify(issuer.getPublicKey());
        return true;
      } catch (GeneralSecurityException | RuntimeException otherKey) {
        return false;
      }
    }

    private Optional<CertificateRefusal> objectionToPath(X509Certificate root) {
      try {
        return outOfDate(Stream.concat(path.stream(), Stream.of(root)).toList())
            .or(() -> unfitLeaf(path.get(0)))
            .or(() -> unfitPath(root))
            .or(() -> unfitRoot(root))
            .or(() -> objectionOfJdk(root));
      } catch (RuntimeException undeclared) { // from the JDK, such as for a URI host with "_"
        return unfit(
            path.get(0), "has a name that the name constraints of an issuer cannot be applied to");
      }
    }

    private Optional<CertificateRefusal> outOfDate(List<X509Certificate> certificates) {
      return now.flatMap(
          time ->
              certificates.stream()
                  .flatMap(certificate -> outOfDate(certificate, time).stream())
                  .findFirst());
    }

    private static Optional<CertificateRefusal> outOfDate(
        X509Certificate certificate, Instant time) {
      Instant start = certificate.getNotBefore().toInstant();
      Instant end = certificate.getNotAfter().toInstant();
      if (time.isAfter(end)) {
        return refusal(HandshakeResult.CERTIFICATE_EXPIRED, certificate, "has expired at " + end);
      }
      return time.isBefore(start)
          ? refusal(
              HandshakeResult.CERTIFICATE_NOT_YET_VALID,
              certificate,
              "is not valid before " + start)
          : Optional.empty();
    }

    private Optional<CertificateRefusal> unfitPath(X509Certificate root) {
      for (X509Certificate certificate : path) {
        if (isSignedWeakly(certificate)) {
          return unfit(certificate, "is signed by means of SHA-1 or an older digest");
        }
        if (!isForRole(certificate)) {
          return notForRole(certificate);
        }
        boolean isLeaf = certificate.equals(path.get(0));
        if ((isLeaf || !isSelfIssued(certificate)) && !isPermitted(certificate, root)) {
          return unfit(certificate, "breaks the name constraints of its root " + subject(root));
        }
      }
      return Optional.empty();
    }

    private Optional<CertificateRefusal> unfitRoot(X509Certificate root) {
      boolean @Nullable [] usage = root.getKeyUsage();
      int pathLength = root.getBasicConstraints(); // -1 if the root is not a CA
      if ((root.getVersion() >= VERSION_3 && pathLength < 0)
          || (usage != null && !usage[CERTIFICATE_SIGNATURE])) {
        return unfit(root, "stands among the roots and is no authority");
      }
      if (root.hasUnsupportedCriticalExtension()) {
        return unfit(root, "has a critical extension that is not known");
      }
      if (!isForRole(root)) {
        return notForRole(root);
      }
      long issuers = path.stream().skip(1).filter(each -> !isSelfIssued(each)).count();
      return pathLength >= 0 && issuers > pathLength
          ? unfit(root, "admits a chain of at most " + pathLength + " intermediates")
          : Optional.empty();
    }

    /** Verifies signatures, path lengths, constraints and usages of certificates below the root. */
    private Optional<CertificateRefusal> objectionOfJdk(X509Certificate root) {
      try {
        var parameters = new PKIXParameters(Set.of(new TrustAnchor(root, null)));
        parameters.setRevocationEnabled(false);
        parameters.setDate(now.map(Date::from).orElseGet(this::latestStart));
        CertPathValidator.getInstance("PKIX")
            .validate(CertificateFactory.getInstance("X.509").generateCertPath(path), parameters);
        return Optional.empty();
      } catch (GeneralSecurityException refused) {
        return unfit(path.get(0), PlainText.of(String.valueOf(refused.getMessage())));
      }
    }

    /**
     * Returns the latest {@code notBefore} of the certificates in the path. If the validity periods
     * overlap, all certificates are valid at the latest {@code notBefore}.
     */
    private Date latestStart() {
      return path.stream()
          .map(X509Certificate::getNotBefore)
          .max(Comparator.naturalOrder())
          .orElseThrow();
    }
  }

  private List<X509Certificate> named(X500Principal subject) {
    return bySubject.getOrDefault(subject, List.of());
  }

  private Optional<CertificateRefusal> unfitLeaf(X509Certificate leaf) {
    boolean @Nullable [] usage = leaf.getKeyUsage();
    if (usage != null && !usage[DIGITAL_SIGNATURE]) {
      return unfit(leaf, "may not sign handshakes (key usage)");
    }
    return isForRole(leaf) ? Optional.empty() : notForRole(leaf);
  }

  /**
   * Returns why a key is refused; empty if it is accepted. With some keys, a peer could overload
   * this process: the JDK takes seconds for one signature of a DSA key with 64 Kibit.
   */
  private static Optional<String> flaw(PublicKey key) {
    if (key instanceof RSAPublicKey rsa) {
      return rsa.getModulus().bitLength() > MAX_MODULUS_BITS
              || rsa.getPublicExponent().bitLength() > MAX_EXPONENT_BITS
          ? Optional.of(
              "has an RSA key over %d bits, or an exponent over %d bits"
                  .formatted(MAX_MODULUS_BITS, MAX_EXPONENT_BITS))
          : Optional.empty();
    }
    if (key instanceof ECPublicKey || key instanceof EdECPublicKey) {
      return Optional.empty();
    }
    return Optional.of(
        "has a key of type %s that is not supported; use RSA, EC (P-256, P-384, P-521) or EdDSA"
            .formatted(key.getAlgorithm()));
  }

  private static boolean isSignedWeakly(X509Certificate certificate) {
    String algorithm = certificate.getSigAlgName().toUpperCase(Locale.ROOT);
    if (!algorithm.equals("RSASSA-PSS")) {
      return algorithm.startsWith("SHA1") || algorithm.startsWith("MD");
    }
    try {
      AlgorithmParameters parameters = AlgorithmParameters.getInstance(algorithm);
      parameters.init(certificate.getSigAlgParams());
      String digest = parameters.getParameterSpec(PSSParameterSpec.class).getDigestAlgorithm();
      return digest.equals("SHA-1");
    } catch (GeneralSecurityException | IOException | RuntimeException unreadable) {
      return true; // absent parameters mean SHA-1 (RFC 4055 section 3.1)
    }
  }

  private boolean isForRole(X509Certificate certificate) {
    try {
      List<String> usages = certificate.getExtendedKeyUsage();
      return usages == null || usages.contains(role.usage()) || usages.contains(ANY_USAGE);
    } catch (CertificateParsingException malformed) {
      return false;
    }
  }

  private static boolean isPermitted(X509Certificate certificate, X509Certificate root) {
    byte @Nullable [] extension = root.getExtensionValue(NAME_CONSTRAINTS);
    if (extension == null) {
      return true;
    }
    var names = new X509CertSelector();
    try {
      names.setNameConstraints(Der.parse(extension).content());
    } catch (IOException malformed) {
      return false;
    }
    return names.match(certificate);
  }

  private Optional<CertificateRefusal> notForRole(X509Certificate certificate) {
    return unfit(certificate, "is not for " + role.word() + "s (extended key usage)");
  }

  private static boolean isSelfIssued(X509Certificate certificate) {
    return certificate.getSubjectX500Principal().equals(certificate.getIssuerX500Principal());
  }

  private static Optional<CertificateRefusal> unfit(X509Certificate certificate, String reason) {
    return refusal(HandshakeResult.CERTIFICATE_VERIFICATION_FAILED, certificate, reason);
  }

  private static Optional<CertificateRefusal> refusal(
      HandshakeResult result, X509Certificate certificate, String reason) {
    return Optional.of(new CertificateRefusal(result, subject(certificate) + " " + reason));
  }

  private static String subject(X509Certificate certificate) {
    return "\"" + PlainText.of(CertificateNames.shown(certificate)) + "\"";
  }
}
