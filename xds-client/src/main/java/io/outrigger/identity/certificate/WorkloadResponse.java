package io.outrigger.identity.certificate;

import io.outrigger.base.AnyThread;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A response of the SPIFFE Workload API to {@code FetchX509SVID}, not yet validated (SPIFFE
 * Workload API, section 5). Of several SVIDs the first is used.
 *
 * @param first the first SVID; empty when the response has none
 * @param federated bundles by trust domain name or URI; each is concatenated DER certificates
 */
@AnyThread
@SuppressWarnings("ArrayRecordComponent") // never compared
public record WorkloadResponse(Optional<Svid> first, Map<String, byte[]> federated) {
  private static final String SCHEME = "spiffe://";

  public WorkloadResponse {
    federated = Collections.unmodifiableMap(new HashMap<>(federated));
  }

  /**
   * An identity.
   *
   * @param chain concatenated DER certificates, leaf first
   * @param key the leaf's private key, PKCS #8
   * @param bundle the roots of the identity's trust domain, concatenated DER certificates
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Svid(String id, byte[] chain, byte[] key, byte[] bundle) {
    /** Omits the key. */
    @Override
    public String toString() {
      return id;
    }
  }

  FileReading read(String endpoint) {
    var parts = new Parts(endpoint);
    return FileReading.whole(() -> parts.identity(), () -> parts.roots());
  }

  private final class Parts {
    private final String endpoint;

    Parts(String endpoint) {
      this.endpoint = endpoint;
    }

    private CredentialFile field(String name) {
      return new CredentialFile(name, "of the Workload API " + endpoint, "");
    }

    private Svid svid() throws UnusableFile {
      return first.orElseThrow(
          () -> field("svids").unusable("is empty; register this workload with the agent"));
    }

    private SpiffeId id() throws UnusableFile {
      return SpiffeId.parse(svid().id())
          .orElseThrow(() -> field("spiffe_id").unusable("is missing or no SPIFFE ID"));
    }

    Identity identity() throws UnusableFile {
      var unused = id(); // throws when it is wrong
      String id = svid().id();
      List<X509Certificate> chain = CertificateReader.readDer(field("x509_svid"), svid().chain());
      List<String> names = CertificateView.of(chain.get(0)).uriSans();
      if (!names.equals(List.of(id))) {
        throw field("x509_svid").unusable("is not the certificate of " + id);
      }
      return Identity.of(chain, PrivateKeyReader.readPkcs8(field("x509_svid_key"), svid().key()))
          .orElseThrow(() -> field("x509_svid_key").unusable("is not the key of x509_svid"));
    }

    /**
     * Reads the roots. An empty bundle means that no certificate of its trust domain is trusted.
     */
    Roots roots() throws UnusableFile {
      var byDomain = new TreeMap<String, List<X509Certificate>>();
      for (Map.Entry<String, byte[]> each : federated.entrySet()) {
        CredentialFile bundle = field("federated_bundles[\"" + each.getKey() + "\"]");
        byDomain.put(
            domain(each.getKey(), bundle),
            each.getValue().length == 0
                ? List.of()
                : CertificateReader.readDer(bundle, each.getValue()));
      }
      byDomain.put(id().trustDomain(), CertificateReader.readDer(field("bundle"), svid().bundle()));
      return new Roots.SpiffeBundles(byDomain);
    }

    private static String domain(String name, CredentialFile bundle) throws UnusableFile {
      String domain = name.startsWith(SCHEME) ? name.substring(SCHEME.length()) : name;
      if (!SpiffeId.isTrustDomain(domain)) {
        throw bundle.unusable("is not of a trust domain");
      }
      return domain;
    }
  }
}
