package io.outrigger.identity.certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import java.security.cert.CertificateEncodingException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Texts have single quotes instead of double ones. */
class SpiffeBundleTest {
  private static final TestAuthority A = TestAuthority.named("a");
  private static final TestAuthority B = TestAuthority.named("b");

  private static Roots.SpiffeBundles read(String json) throws UnusableFile {
    return SpiffeBundleReader.read(
        new CredentialFile("spiffe_trust_bundle_map_file", "map", json.replace('\'', '"')));
  }

  private static String key(TestAuthority authority) {
    return "{'kty': 'EC', 'use': 'x509-svid', 'kid': 'k', 'crv': 'P-256', 'x5c': ['"
        + base64(authority)
        + "']}";
  }

  private static String base64(TestAuthority authority) {
    try {
      return Base64.getEncoder().encodeToString(authority.root().getEncoded());
    } catch (CertificateEncodingException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @Conformance({"A87-01", "A29-09"})
  void eachTrustDomainHasItsOwnRoots() throws UnusableFile {
    var bundles =
        read(
            "{'trust_domains': {'a.example': {'spiffe_sequence': 12, 'spiffe_refresh_hint': 3,"
                + " 'keys': ["
                + key(A)
                + ", "
                + key(B)
                + "]}, 'b.example': {'keys': ["
                + key(B)
                + ", {'use': 'jwt-svid', 'kty': 'EC', 'kid': 'x'}]}, 'empty.example': {'keys':"
                + " []}}, 'other': 1}");

    assertThat(bundles.byTrustDomain())
        .isEqualTo(
            Map.of(
                "a.example",
                List.of(A.root(), B.root()),
                "b.example",
                List.of(B.root()),
                "empty.example",
                List.of()));
    assertThat(bundles.certificates()).containsExactly(A.root(), B.root(), B.root());
  }

  @Test
  @Conformance("A87-01")
  void anEmptyMapIsAMap() throws UnusableFile {
    assertThat(read("{'trust_domains': {}}").byTrustDomain()).isEmpty();
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @Conformance("A87-01")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`` | is not a JSON object with trust_domains",
        "[] | is not a JSON object with trust_domains",
        "{'trust_domains': {}} x | is not a JSON object with trust_domains",
        "{'trust_domains': | is not a JSON object with trust_domains",
        "{} | $.trust_domains: is missing",
        "{'trust_domains': []} | $.trust_domains: is an array; an object is required",
        "{'trust_domains': {'A.example': {'keys': []}}} | $.trust_domains[\"A.example\"]: is not the"
            + " name of a trust domain",
        "{'trust_domains': {'': {'keys': []}}} | $.trust_domains[\"\"]: is not the name of a trust"
            + " domain",
        "{'trust_domains': {'a': 1}} | $.trust_domains.a: is a number; an object is required",
        "{'trust_domains': {'a': {}}} | $.trust_domains.a.keys: is missing",
        "{'trust_domains': {'a': {'keys': {}}}} | $.trust_domains.a.keys: is an object; an array is"
            + " required",
        "{'trust_domains': {'a': {'spiffe_sequence': 'x', 'keys': []}}} |"
            + " $.trust_domains.a.spiffe_sequence: is not a number",
        "{'trust_domains': {'a': {'keys': [1]}}} | $.trust_domains.a.keys[0]: is a number; an object"
            + " is required",
        "{'trust_domains': {'a': {'keys': [GOOD, {'kty': 'RSA'}]}}} |"
            + " $.trust_domains.a.keys[1].use: is missing; a string is required",
        "{'trust_domains': {'a': {'keys': [{'kty': 'RSA', 'use': 'sig'}]}}} |"
            + " $.trust_domains.a.keys[0].use: is neither x509-svid nor jwt-svid",
        "{'trust_domains': {'a': {'keys': [{'use': 'x509-svid'}]}}} |"
            + " $.trust_domains.a.keys[0].kty: is missing; a string is required",
        "{'trust_domains': {'a': {'keys': [{'use': 'x509-svid', 'kty': 'OKP'}]}}} |"
            + " $.trust_domains.a.keys[0].kty: is neither RSA nor EC",
        "{'trust_domains': {'a': {'keys': [{'use': 'x509-svid', 'kty': 'RSA'}]}}} |"
            + " $.trust_domains.a.keys[0].x5c: is not an array of one certificate",
        "{'trust_domains': {'a': {'keys': [{'use': 'x509-svid', 'kty': 'RSA', 'x5c': []}]}}} |"
            + " $.trust_domains.a.keys[0].x5c: is not an array of one certificate",
        "{'trust_domains': {'a': {'keys': [{'use': 'x509-svid', 'kty': 'RSA', 'x5c': ['C',"
            + " 'C']}]}}} | $.trust_domains.a.keys[0].x5c: is not an array of one certificate",
        "{'trust_domains': {'a': {'keys': [{'use': 'x509-svid', 'kty': 'RSA', 'x5c':"
            + " ['AAAA']}]}}} | $.trust_domains.a.keys[0].x5c[0] is not a certificate",
        "{'trust_domains': {'a': {'keys': [{'use': 'x509-svid', 'kty': 'RSA', 'x5c':"
            + " [['AAAA']]}]}}} | $.trust_domains.a.keys[0].x5c[0]: is an array; a string is"
            + " required",
        "{'trust_domains': {'a': {'keys': [{'use': 'x509-svid', 'kty': 1}]}}} |"
            + " $.trust_domains.a.keys[0].kty: is a number; a string is required",
      })
  void oneWrongEntryMakesTheMapUnusable(String json, String reason) {
    boolean isMap = reason.startsWith("$");
    assertThatThrownBy(() -> read(json.replace("GOOD", key(A))))
        .isInstanceOf(UnusableFile.class)
        .hasMessage(
            "spiffe_trust_bundle_map_file map "
                + (isMap ? "is not a trust bundle map: " : "")
                + reason);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @Conformance("A87-01")
  @CsvSource({
    "spiffe://a.example/ns/x/sa/y,   a.example",
    "spiffe://a.example,             a.example",
    "spiffe://a-b_c.9/x.Y_z-0,       a-b_c.9",
    "spiffe://a.example/,            -",
    "spiffe://a.example/x/,          -",
    "spiffe://a.example//x,          -",
    "spiffe://a.example/./x,         -",
    "spiffe://a.example/../x,        -",
    "spiffe://a.example/x%20y,       -",
    "spiffe://a.example/x?y,         -",
    "spiffe://a.example/x#y,         -",
    "spiffe://A.example/x,           -",
    "spiffe://u@a.example/x,         -",
    "spiffe://a.example:443/x,       -",
    "spiffe:///x,                    -",
    "SPIFFE://a.example/x,           -",
    "https://a.example/x,            -",
    "a.example,                      -",
  })
  void namesOfSpiffeAreReadStrictly(String uri, String domain) {
    assertThat(SpiffeId.parse(uri).map(SpiffeId::trustDomain).orElse("-")).isEqualTo(domain);
  }

  @Test
  @Conformance("A87-01")
  void namesOfSpiffeHaveALimit() {
    String path = "/" + "x".repeat(2048 - "spiffe://a/".length());

    assertThat(SpiffeId.parse("spiffe://a" + path)).isPresent();
    assertThat(SpiffeId.parse("spiffe://a" + path + "x")).isEmpty();
    assertThat(SpiffeId.parse("spiffe://" + "a".repeat(255))).isPresent();
    assertThat(SpiffeId.parse("spiffe://" + "a".repeat(256))).isEmpty();
  }

  /** A peer sends its URI before its chain is verified. */
  @Test
  void aPathOfAThousandSegmentsNeedsLittleStack() throws InterruptedException {
    var parsed = new AtomicReference<Optional<SpiffeId>>(Optional.empty());
    String uri = "spiffe://a" + "/a".repeat(1000);
    var thread = new Thread(null, () -> parsed.set(SpiffeId.parse(uri)), "small", 128 << 10);
    thread.start();
    thread.join();

    assertThat(parsed.get()).isPresent();
  }
}
