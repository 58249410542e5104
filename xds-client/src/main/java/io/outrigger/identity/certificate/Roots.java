package io.outrigger.identity.certificate;

import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The root certificates to which the certificate chain of a peer must lead. */
public sealed interface Roots {
  List<X509Certificate> certificates();

  /** Returns a one-line warning about ignored parts of the source of the roots; empty if none. */
  default Optional<String> note() {
    return Optional.empty();
  }

  /** Certificate authorities that are trusted for any name (A29, A82). */
  record Authorities(List<X509Certificate> certificates, Optional<String> note) implements Roots {
    public Authorities {
      certificates = List.copyOf(certificates);
    }

    public Authorities(List<X509Certificate> certificates) {
      this(certificates, Optional.empty());
    }

    public static Authorities read(String path) throws UnusableFile {
      return read("ca_certificate_file", path);
    }

    static Authorities read(String field, String path) throws UnusableFile {
      return of(CredentialFile.read(field, path));
    }

    public static Authorities of(CredentialFile file) throws UnusableFile {
      return new Authorities(
          CertificateReader.read(file), CertificateReader.revocationListWarning(file));
    }

    @Override
    public String toString() {
      return certificates.size() + " roots";
    }
  }

  /**
   * Roots by SPIFFE trust domain; each root is trusted only for names of its own domain (A87). If
   * the map is empty, no peer is trusted.
   */
  record SpiffeBundles(Map<String, List<X509Certificate>> byTrustDomain) implements Roots {
    public SpiffeBundles {
      var copy = new TreeMap<String, List<X509Certificate>>();
      byTrustDomain.forEach((domain, bundle) -> copy.put(domain, List.copyOf(bundle)));
      byTrustDomain = Collections.unmodifiableMap(copy);
    }

    public static SpiffeBundles read(String path) throws UnusableFile {
      return SpiffeBundleReader.read(CredentialFile.read("spiffe_trust_bundle_map_file", path));
    }

    @Override
    public List<X509Certificate> certificates() {
      return byTrustDomain.values().stream().flatMap(List::stream).toList();
    }

    @Override
    public String toString() {
      return "roots of trust domains " + byTrustDomain.keySet();
    }
  }
}
