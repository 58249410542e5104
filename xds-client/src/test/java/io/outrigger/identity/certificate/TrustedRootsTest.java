package io.outrigger.identity.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.ExtendedKeyUsage;
import io.netty.pkitesting.CertificateBuilder.KeyUsage;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.math.BigInteger;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.security.spec.RSAKeyGenParameterSpec;
import java.security.spec.RSAPublicKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralSubtree;
import org.bouncycastle.asn1.x509.NameConstraints;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Roots are certificates like others: dates, usages and constraints of theirs count. */
class TrustedRootsTest {
  private static final TestAuthority ROOT = TestAuthority.named("root");
  private static final TestAuthority ISSUING = ROOT.intermediate("issuing");

  private static CertificateBuilder expired(CertificateBuilder builder) {
    return builder.notAfter(Instant.now().minus(Duration.ofMinutes(1)));
  }

  private static CertificateBuilder forTomorrow(CertificateBuilder builder) {
    return builder.notBefore(Instant.now().plus(Duration.ofHours(1)));
  }

  private static PeerVerifier verifier(X509Certificate... roots) {
    return verifier(new Roots.Authorities(List.of(roots)));
  }

  private static PeerVerifier verifier(Roots roots) {
    var settings =
        new UpstreamTls(
            Optional.empty(), new TrustSource.Provider("x"), List.of(), "", false, false);
    return PeerVerifier.of(new TlsMaterial(settings, Optional.empty(), roots));
  }

  private static String objection(List<X509Certificate> chain, X509Certificate... roots) {
    return verifier(roots)
        .objection(chain, Optional.empty())
        .map(CertificateRefusal::text)
        .orElse("accepted");
  }

  private static String objection(TestIdentity server, X509Certificate... roots) {
    return objection(server.chain(), roots);
  }

  private static UnaryOperator<CertificateBuilder> constrainedTo(int kind, String permitted) {
    var subtree = new GeneralSubtree(new GeneralName(kind, permitted));
    byte[] constraints;
    try {
      constraints = new NameConstraints(new GeneralSubtree[] {subtree}, null).getEncoded("DER");
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
    return builder -> builder.addExtensionOctetString("2.5.29.30", true, constraints);
  }

  // Dates

  @Test
  @Conformance("A29-03")
  void aRootVouchesOnlyWhileItIsValid() {
    for (UnaryOperator<CertificateBuilder> change :
        List.<UnaryOperator<CertificateBuilder>>of(
            TrustedRootsTest::expired, TrustedRootsTest::forTomorrow)) {
      TestAuthority late = TestAuthority.named("late", change);
      TestAuthority lateIssuing = ROOT.intermediate("late issuing", change);
      TestIdentity pinned = ROOT.issue(change, "dns:a");

      assertThat(objection(late.issue("dns:a"), late.certificate()))
          .matches("certificate verify failed: \"CN=late\" (has expired|is not valid before).*");
      assertThat(
              objection(
                  List.of(lateIssuing.issue("dns:a").certificate()), lateIssuing.certificate()))
          .as("an intermediate as root")
          .startsWith("certificate verify failed: \"CN=late issuing\" ");
      assertThat(objection(pinned, pinned.certificate()))
          .as("the server's own certificate as root")
          .startsWith("certificate verify failed: \"CN=workload of root\" ");
    }
  }

  @Test
  @Conformance("A29-03")
  void intermediatesAndServersThatAreValidMayBeRoots() {
    TestIdentity server = ISSUING.issue("dns:a");

    assertThat(objection(server, ISSUING.certificate())).isEqualTo("accepted");
    assertThat(objection(List.of(server.certificate()), ISSUING.certificate()))
        .isEqualTo("accepted");
    assertThat(objection(server, server.certificate())).isEqualTo("accepted");
    assertThat(objection(server, ROOT.issue("dns:a").certificate()))
        .as("another certificate of its name")
        .contains("does not lead to a root");
  }

  @Test
  @Conformance("A29-03")
  void oneRootThatCountsIsEnough() {
    TestAuthority expired = TestAuthority.named("expired", TrustedRootsTest::expired);
    TestIdentity server = ISSUING.issue("dns:a");
    List<X509Certificate> crossSigned =
        List.of(
            server.certificate(),
            ISSUING.certificate(),
            expired.issue(builder -> builder.subject("CN=root"), "dns:x").certificate());

    assertThat(objection(crossSigned, expired.certificate(), ROOT.certificate()))
        .isEqualTo("accepted");
  }

  @Test
  @Conformance("A29-18")
  void anOpenConnectionOutlivesTheDatesOfItsServerAndNotItsRoots() {
    TestIdentity expired = ROOT.issue(TrustedRootsTest::expired, "dns:a");
    var same = verifier(ROOT.certificate());
    var others = verifier(TestAuthority.named("root").certificate());

    assertThat(same.objection(expired.chain(), Optional.empty()).map(CertificateRefusal::result))
        .contains(HandshakeResult.CERTIFICATE_EXPIRED);
    assertThat(same.objectionToOpen(expired.chain(), Optional.empty())).isEmpty();
    assertThat(
            others
                .objectionToOpen(expired.chain(), Optional.empty())
                .map(CertificateRefusal::result))
        .contains(HandshakeResult.CERTIFICATE_AUTHORITY_INVALID);
  }

  // Signatures, usages, constraints

  @ParameterizedTest
  @Conformance("A29-03")
  @CsvSource({
    "RSA, SHA1withRSA",
    "RSA, MD5withRSA",
    "RSA, SHA1withRSAandMGF1",
    "EC, SHA1withECDSA",
  })
  void signaturesByOldDigestsAreRefused(String key, String algorithm) {
    TestAuthority old =
        TestAuthority.named(
            "old", key.equals("RSA") ? CertificateBuilder::rsa2048 : CertificateBuilder::ecp256);
    TestAuthority issuing = old.intermediate("issuing");
    X509Certificate leaf = old.signedBy(algorithm, old.issue("dns:a").certificate());
    X509Certificate issuer = old.signedBy(algorithm, issuing.certificate());

    assertThat(objection(List.of(leaf), old.root()))
        .isEqualTo(
            "certificate verify failed: \"CN=workload of old\" is signed by means of SHA-1 or an"
                + " older digest");
    assertThat(objection(List.of(issuing.issue("dns:a").certificate(), issuer), old.root()))
        .startsWith("certificate verify failed: \"CN=issuing\" is signed by means of SHA-1");
    assertThat(objection(List.of(leaf), leaf))
        .as("an operator vouches for it")
        .isEqualTo("accepted");
    assertThat(objection(List.of(issuing.issue("dns:a").certificate()), issuer))
        .as("an operator vouches for it")
        .isEqualTo("accepted");
  }

  @Test
  @Conformance("A29-03")
  void theConstraintsOfARootCount() {
    TestAuthority named =
        TestAuthority.named("named", constrainedTo(GeneralName.dNSName, "example"));
    TestAuthority flat =
        TestAuthority.named("flat", builder -> builder.setPathLengthConstraint(OptionalInt.of(0)));
    TestAuthority mail =
        TestAuthority.named(
            "mail",
            builder -> builder.addExtendedKeyUsage(ExtendedKeyUsage.PKIX_KP_EMAIL_PROTECTION));
    TestAuthority mute =
        TestAuthority.named(
            "mute", builder -> builder.setKeyUsage(true, KeyUsage.digitalSignature));

    assertThat(objection(named.issue("dns:a.example"), named.root())).isEqualTo("accepted");
    assertThat(objection(named.intermediate("i").issue("dns:b.test"), named.root()))
        .isEqualTo(
            "certificate verify failed: \"CN=workload of i\" breaks the name constraints of its"
                + " root \"CN=named\"");
    assertThat(objection(flat.issue("dns:a"), flat.root())).isEqualTo("accepted");
    assertThat(objection(flat.intermediate("i").issue("dns:a"), flat.root()))
        .endsWith("\"CN=flat\" admits a chain of at most 0 intermediates");
    assertThat(objection(mail.issue("dns:a"), mail.root()))
        .endsWith("\"CN=mail\" is not for servers (extended key usage)");
    assertThat(objection(mute.issue("dns:a"), mute.root()))
        .endsWith("\"CN=mute\" stands among the roots and is no authority");
  }

  @Test
  @Conformance("A29-03")
  void theConstraintsOfAnIntermediateCount() {
    TestAuthority named = ROOT.intermediate("named", constrainedTo(GeneralName.dNSName, "example"));
    TestAuthority mail =
        ROOT.intermediate(
            "mail",
            builder -> builder.addExtendedKeyUsage(ExtendedKeyUsage.PKIX_KP_EMAIL_PROTECTION));

    assertThat(objection(named.issue("dns:a.example"), ROOT.root())).isEqualTo("accepted");
    assertThat(objection(named.issue("dns:b.test"), ROOT.root()))
        .startsWith("certificate verify failed: \"CN=workload of named\" ");
    assertThat(objection(mail.issue("dns:a"), ROOT.root()))
        .endsWith("\"CN=mail\" is not for servers (extended key usage)");
  }

  /** The JDK throws a NullPointerException where it applies a constraint to such a host. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Conformance({"A29-03", "A87-01"})
  void aNameThatTheJdkCannotJudgeIsRefused(boolean isRoot) {
    var change = constrainedTo(GeneralName.uniformResourceIdentifier, ".example");
    TestAuthority authority =
        isRoot ? TestAuthority.named("named", change) : ROOT.intermediate("named", change);
    var verifier =
        verifier(new Roots.SpiffeBundles(Map.of("a_b.example", List.of(authority.root()))));
    List<X509Certificate> chain = authority.issue("uri:spiffe://a_b.example/x").chain();

    String text =
        "certificate verify failed: \"CN=workload of named\" has a name that the name constraints"
            + " of an issuer cannot be applied to";
    assertThat(verifier.objection(chain, Optional.empty()).map(CertificateRefusal::text))
        .contains(text);
    assertThat(verifier.objectionToOpen(chain, Optional.empty()).map(CertificateRefusal::text))
        .contains(text);
  }

  // Paths

  @Test
  @Conformance("A29-03")
  void aChainOfTenIsBuiltInAnyOrder() {
    TestAuthority last = ROOT;
    for (int i = 0; i < 9; i++) {
      last = last.intermediate("issuer " + i);
    }
    List<X509Certificate> chain = last.issue("dns:a").chain();
    assertThat(chain).hasSize(10);
    List<X509Certificate> others = new ArrayList<>(chain.subList(1, 10));

    for (int seed = 0; seed < 20; seed++) {
      Collections.shuffle(others, new Random(seed));
      List<X509Certificate> shuffled = new ArrayList<>(chain.subList(0, 1));
      shuffled.addAll(others);
      assertThat(objection(shuffled, ROOT.root())).as("seed %s", seed).isEqualTo("accepted");
    }
    assertThat(objection(chain.subList(0, 9), ROOT.root())).contains("does not lead to a root");
  }

  /** Of twelve that all could have issued each other a search could try 479,001,600 orders. */
  @Test
  void aChainOfOneNameAndKeyEndsSoon() throws Exception {
    TestAuthority first = TestAuthority.named("same");
    TestIdentity key = first.issue("dns:x");
    UnaryOperator<CertificateBuilder> same =
        builder -> builder.subject("CN=same").keyPair(key.bundle().getKeyPair());
    TestAuthority signing = first.intermediate("same", same);
    List<X509Certificate> chain = new ArrayList<>(List.of(signing.issue("dns:a").certificate()));
    IntStream.range(0, 12)
        .forEach(i -> chain.add(signing.intermediate("same", same).certificate()));

    String objection = objection(chain, ROOT.root());

    assertThat(objection).contains("its chain has too many certificates that sign each other");
  }

  @ParameterizedTest
  @Conformance("A29-03")
  @CsvSource({
    "8192, accepted",
    "8193, '\"CN=workload of root\" has an RSA key over 8192 bits, or an exponent over 32 bits'"
  })
  void aLargeRsaKeyIsRefused(int bits, String result) throws Exception {
    BigInteger modulus = BigInteger.ONE.shiftLeft(bits - 1).setBit(0);
    PublicKey large =
        KeyFactory.getInstance("RSA")
            .generatePublic(new RSAPublicKeySpec(modulus, RSAKeyGenParameterSpec.F4));
    KeyPair pair = new KeyPair(large, ROOT.issue("dns:a").key());
    TestIdentity server = ROOT.issue(builder -> builder.rsa2048().keyPair(pair), "dns:a");

    assertThat(objection(server, ROOT.root())).contains(result);
  }

  /** Each signature of such a key takes 40 ms, and a hundred are verified before a refusal. */
  @ParameterizedTest
  @CsvSource({"2048, 2000, false", "2048, 40, false", "2048, 17, true", "2048, 2, true"})
  void anRsaKeyThatIsSlowToVerifyIsRefused(int modulus, int exponent, boolean isAccepted)
      throws Exception {
    var keys = KeyPairGenerator.getInstance("RSA");
    keys.initialize(
        new RSAKeyGenParameterSpec(modulus, BigInteger.ONE.shiftLeft(exponent - 1).setBit(0)));
    KeyPair pair = keys.generateKeyPair();
    List<X509Certificate> chain =
        ROOT.intermediate("slow", builder -> builder.rsa2048().keyPair(pair))
            .issue("dns:a")
            .chain();

    assertThat(objection(chain, ROOT.root()))
        .contains(
            isAccepted ? "accepted" : "\"CN=slow\" has an RSA key over 8192 bits, or an exponent");
  }

  /** The JDK takes seconds for a signature of a large DSA key, and does not limit such keys. */
  @ParameterizedTest
  @Conformance("A29S-12")
  @CsvSource({
    "DSA, 'has a key of type DSA that is not supported; use RSA, EC (P-256'",
    "X25519, 'has a key of type XDH that is not supported'",
    "EC, accepted",
    "Ed25519, accepted"
  })
  void aKeyThatNoHandshakeNeedsIsRefused(String algorithm, String result) throws Exception {
    KeyPair pair =
        new KeyPair(
            KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPublic(),
            ROOT.issue("dns:b").key());
    List<X509Certificate> chain = new ArrayList<>(ROOT.issue("dns:a").chain());
    chain.add(ROOT.issue(builder -> builder.rsa2048().keyPair(pair), "dns:b").certificate());

    assertThat(objection(chain, ROOT.root())).contains(result);
  }
}
