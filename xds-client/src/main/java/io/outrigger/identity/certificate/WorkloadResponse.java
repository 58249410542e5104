package io.outrigger.identity.certificate;

import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A response of the SPIFFE Workload API to {@code FetchX509SVID}, not yet validated (SPIFFE
 * Workload API, section 5). If the response has several SVIDs, the first is used.
 *
 * @param first the first SVID; empty when the response has none
 * @param federated the other domains' bundles (concatenated DER), by trust domain name or URI
 */
@SuppressWarnings("ArrayRecordComponent") // instances are never compared
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
    return FileReading.whole(() -> identity(endpoint), () -> roots(endpoint));
  }

  private static CredentialFile field(String endpoint, String name) {
    return new CredentialFile(name, "of the Workload API " + endpoint, "");
  }

  /** Returns the first SVID; fails if there is none or if its ID is not a SPIFFE ID. */
  private Svid svid(String endpoint) throws UnusableFile {
    Svid svid =
        first.orElseThrow(
            () ->
                field(endpoint, "svids")
                    .unusable("is empty; register this workload with the agent"));
    if (SpiffeId.parse(svid.id()).isEmpty()) {
      throw field(endpoint, "spiffe_id").unusable("is missing or no SPIFFE ID");
    }
    return svid;
  }

  private Identity identity(String endpoint) throws UnusableFile {
    Svid svid = svid(endpoint);
    CredentialFile own = field(endpoint, "x509_svid");
    CredentialFile key = field(endpoint, "x509_svid_key");
    List<X509Certificate> chain = CertificateReader.readDer(own, svid.chain());
    if (!CertificateView.of(chain.get(0)).uriSans().equals(List.of(svid.id()))) {
      throw own.unusable("is not the certificate of " + svid.id());
    }
    return Identity.of(chain, PrivateKeyReader.readPkcs8(key, svid.key()))
        .orElseThrow(() -> key.unusable("is not the key of x509_svid"));
  }

  /** An empty bundle means that no certificate of its trust domain is trusted. */
  private Roots roots(String endpoint) throws UnusableFile {
    Svid svid = svid(endpoint);
    var byDomain = new TreeMap<String, List<X509Certificate>>();
    for (Map.Entry<String, byte[]> each : federated.entrySet()) {
      CredentialFile bundle = field(endpoint, "federated_bundles[\"" + each.getKey() + "\"]");
      byDomain.put(
          domain(each.getKey(), bundle),
          each.getValue().length == 0
              ? List.of()
              : CertificateReader.readDer(bundle, each.getValue()));
    }
    byDomain.put(
        SpiffeId.parse(svid.id()).orElseThrow().trustDomain(),
        CertificateReader.readDer(field(endpoint, "bundle"), svid.bundle()));
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
