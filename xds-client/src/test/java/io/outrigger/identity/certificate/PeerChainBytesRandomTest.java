package io.outrigger.identity.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.tls.SanMatcher;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.ForeignBytes;
import io.outrigger.testing.ForeignBytes.Case;
import io.outrigger.testing.Shape;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.x509.CertificatePolicies;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.GeneralSubtree;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.NameConstraints;
import org.bouncycastle.asn1.x509.PolicyInformation;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Chains whose signatures are right and whose extensions are damaged: each is accepted or refused
 * by {@link PeerVerifier}, or no certificate for the JDK.
 */
class PeerChainBytesRandomTest {
  private static final GeneralSubtree[] PERMITTED = {
    new GeneralSubtree(new GeneralName(GeneralName.dNSName, "a.example")),
    new GeneralSubtree(new GeneralName(GeneralName.uniformResourceIdentifier, ".mesh")),
    new GeneralSubtree(new GeneralName(GeneralName.iPAddress, "10.0.0.0/8")),
  };
  private static final TestAuthority ROOT = TestAuthority.named("root");

  /** Its constraints are applied to whatever names a server has. */
  private static final TestAuthority CONSTRAINED =
      TestAuthority.named(
          "constrained",
          builder ->
              builder.addExtensionOctetString(
                  Extension.nameConstraints.getId(),
                  true,
                  der(new NameConstraints(PERMITTED, null))));

  private static final TestIdentity KEY = ROOT.issue("dns:x");
  private static final String ID = "spiffe://mesh/a";
  private static final UpstreamTls SETTINGS =
      new UpstreamTls(
          Optional.empty(),
          new TrustSource.SystemRoots(),
          List.of(
              SanMatcher.ofAnyKind(new StringMatcher.Exact(ID, false)),
              SanMatcher.ofAnyKind(new StringMatcher.Suffix("a.example", true))),
          "",
          false,
          true);

  private record Sample(ASN1ObjectIdentifier of, ASN1Encodable value) {}

  static Stream<Case> extensions() {
    GeneralName[] names = {
      new GeneralName(GeneralName.uniformResourceIdentifier, ID),
      new GeneralName(GeneralName.dNSName, "*.a.example"),
      new GeneralName(GeneralName.iPAddress, "10.0.0.1"),
      new GeneralName(GeneralName.rfc822Name, "a@a.example"),
      new GeneralName(GeneralName.directoryName, "CN=a"),
    };
    return Stream.of(
            new Sample(Extension.subjectAlternativeName, new GeneralNames(names)),
            new Sample(
                Extension.subjectAlternativeName,
                new GeneralNames(
                    new GeneralName(GeneralName.uniformResourceIdentifier, "spiffe://a_b.mesh/x"))),
            new Sample(Extension.nameConstraints, new NameConstraints(PERMITTED, null)),
            new Sample(
                Extension.extendedKeyUsage,
                new ExtendedKeyUsage(
                    new KeyPurposeId[] {
                      KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth
                    })),
            new Sample(
                Extension.certificatePolicies,
                new CertificatePolicies(
                    new PolicyInformation(new ASN1ObjectIdentifier("2.5.29.32.0")))))
        .flatMap(
            sample ->
                Stream.of(
                    of("a server's " + sample.of(), sample, PeerChainBytesRandomTest::server),
                    of("an issuer's " + sample.of(), sample, PeerChainBytesRandomTest::issuer),
                    of("a root's " + sample.of(), sample, PeerChainBytesRandomTest::root)));
  }

  private static Case of(String name, Sample sample, Chain chain) {
    return new Case(
        name,
        CertificateException.class,
        bytes -> judge(chain, sample.of().getId(), bytes),
        Shape.DER,
        List.of(der(sample.value())));
  }

  private static byte[] der(ASN1Encodable value) {
    try {
      return value.toASN1Primitive().getEncoded("DER");
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A chain, last its root, of which one certificate is changed. */
  private interface Chain {
    List<X509Certificate> with(UnaryOperator<CertificateBuilder> change);
  }

  private static List<X509Certificate> server(UnaryOperator<CertificateBuilder> change) {
    return List.of(CONSTRAINED.issue(change).certificate(), CONSTRAINED.root());
  }

  private static List<X509Certificate> issuer(UnaryOperator<CertificateBuilder> change) {
    TestAuthority issuer = ROOT.intermediate("issuer", change);
    return List.of(leaf(issuer), issuer.certificate(), ROOT.root());
  }

  private static List<X509Certificate> root(UnaryOperator<CertificateBuilder> change) {
    TestAuthority root = TestAuthority.named("changed", change);
    return List.of(leaf(root), root.root());
  }

  private static X509Certificate leaf(TestAuthority issuer) {
    return issuer
        .issue(PeerChainBytesRandomTest::withKey, "uri:" + ID, "dns:b.a.example", "ip:10.0.0.1")
        .certificate();
  }

  /** A key that is there already saves most of the time of a run. */
  private static CertificateBuilder withKey(CertificateBuilder builder) {
    return builder.keyPair(KEY.bundle().getKeyPair());
  }

  private static void judge(Chain of, String extension, byte[] value) throws Exception {
    List<X509Certificate> all;
    try {
      all =
          of.with(
              builder ->
                  withKey(builder)
                      .addExtensionOctetString(extension, value.length % 2 == 0, value));
    } catch (AssertionError notBuilt) {
      if (notBuilt.getCause() instanceof CertificateException refused) {
        throw refused;
      }
      throw notBuilt;
    }
    List<X509Certificate> chain = all.subList(0, all.size() - 1);
    List<X509Certificate> roots = all.subList(all.size() - 1, all.size());
    for (Roots each :
        List.of(new Roots.Authorities(roots), new Roots.SpiffeBundles(Map.of("mesh", roots)))) {
      var verifier = PeerVerifier.of(new TlsMaterial(SETTINGS, Optional.empty(), each));
      assertThat(verifier.objection(chain, Optional.of("b.a.example"))).isNotNull();
      assertThat(verifier.objectionToOpen(chain, Optional.empty())).isNotNull();
    }
  }

  @ParameterizedTest
  @Conformance("A29-03")
  @MethodSource("extensions")
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void anyExtension(Case of) {
    ForeignBytes.check(of, 300);
  }
}
