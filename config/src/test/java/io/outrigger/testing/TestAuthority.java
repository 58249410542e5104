package io.outrigger.testing;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;

/**
 * A certificate authority for tests: a root, and certificates that it issues, by itself or through
 * an intermediate. Keys are on P-256 unless a test asks for others.
 */
public final class TestAuthority {
  private static final String SUBJECT_ALT_NAME = "2.5.29.17";
  private static final AtomicLong SERIALS = new AtomicLong(0xCA00);

  private final String name;
  private final X509Bundle issuer;

  private TestAuthority(String name, X509Bundle issuer) {
    this.name = name;
    this.issuer = issuer;
  }

  /** A root of its own. */
  public static TestAuthority named(String name) {
    return named(name, builder -> builder);
  }

  /** The same, changed by {@code change}. */
  public static TestAuthority named(String name, UnaryOperator<CertificateBuilder> change) {
    return new TestAuthority(name, build(() -> change.apply(authority(name)).buildSelfSigned()));
  }

  /** An authority that this one vouches for; chains of what it issues contain it. */
  public TestAuthority intermediate(String other) {
    return intermediate(other, builder -> builder);
  }

  /** The same, changed by {@code change}. */
  public TestAuthority intermediate(String other, UnaryOperator<CertificateBuilder> change) {
    return new TestAuthority(
        other, build(() -> change.apply(authority(other)).buildIssuedBy(issuer)));
  }

  /** The certificate of this authority; of an intermediate its own, not its root's. */
  public X509Certificate certificate() {
    return issuer.getCertificate();
  }

  /** {@code certificate}, signed anew by this authority with SHA-1; its key must be RSA. */
  public X509Certificate signedBySha1(X509Certificate certificate) {
    return build(
        () -> {
          byte[] body = bySha1(certificate.getTBSCertificate());
          Signature signature = Signature.getInstance("SHA1withRSA");
          signature.initSign(issuer.getKeyPair().getPrivate());
          signature.update(body);
          byte[] signed = signature.sign();
          byte[] whole = bySha1(certificate.getEncoded());
          System.arraycopy(signed, 0, whole, whole.length - signed.length, signed.length);
          return (X509Certificate)
              CertificateFactory.getInstance("X.509")
                  .generateCertificate(new ByteArrayInputStream(whole));
        });
  }

  /** Replaces the identifier of SHA256withRSA, of which the one of SHA1withRSA has the length. */
  private static byte[] bySha1(byte[] der) {
    String hex = HexFormat.of().formatHex(der);
    return HexFormat.of().parseHex(hex.replace("2a864886f70d01010b", "2a864886f70d010105"));
  }

  private static CertificateBuilder authority(String name) {
    return valid("CN=" + name).setIsCertificateAuthority(true);
  }

  private static CertificateBuilder valid(String subject) {
    Instant now = Instant.now();
    return new CertificateBuilder()
        .ecp256()
        .subject(subject)
        .serial(BigInteger.valueOf(SERIALS.incrementAndGet()))
        .notBefore(now.minus(Duration.ofHours(1)))
        .notAfter(now.plus(Duration.ofDays(1)));
  }

  /** The key of this authority, for a program that issues certificates in its name. */
  public String keyPem() {
    return new TestIdentity(issuer).keyPem();
  }

  public X509Certificate root() {
    return issuer.getRootCertificate();
  }

  public String rootPem() {
    return issuer.getRootCertificatePEM();
  }

  /**
   * A certificate for a workload, valid for a day.
   *
   * @param names such as {@code dns:a.example}, {@code uri:spiffe://a/b}, {@code ip:10.0.0.1},
   *     {@code email:a@b}; perhaps none
   */
  public TestIdentity issue(String... names) {
    return issue(builder -> builder, names);
  }

  /** The same, changed by {@code change}. */
  public TestIdentity issue(UnaryOperator<CertificateBuilder> change, String... names) {
    CertificateBuilder builder = valid("CN=workload of " + name);
    if (names.length > 0) { // by hand: the builder takes no wildcards and no underscores
      var all =
          new GeneralNames(Stream.of(names).map(TestAuthority::name).toArray(GeneralName[]::new));
      builder.addExtensionOctetString(SUBJECT_ALT_NAME, false, build(() -> all.getEncoded("DER")));
    }
    return new TestIdentity(build(() -> change.apply(builder).buildIssuedBy(issuer)));
  }

  private static GeneralName name(String text) {
    int colon = text.indexOf(':');
    String value = text.substring(colon + 1);
    return switch (text.substring(0, colon)) {
      case "dns" -> new GeneralName(GeneralName.dNSName, value);
      case "uri" -> new GeneralName(GeneralName.uniformResourceIdentifier, value);
      case "ip" -> new GeneralName(GeneralName.iPAddress, value);
      case "email" -> new GeneralName(GeneralName.rfc822Name, value);
      default -> throw new IllegalArgumentException(text);
    };
  }

  /** A certificate whose time was over a minute ago. */
  public TestIdentity issueExpired(String... names) {
    Instant now = Instant.now();
    return issue(
        builder ->
            builder
                .notBefore(now.minus(Duration.ofHours(2)))
                .notAfter(now.minus(Duration.ofMinutes(1))),
        names);
  }

  /** A certificate whose time has not come. */
  public TestIdentity issueForTomorrow(String... names) {
    Instant now = Instant.now();
    return issue(
        builder ->
            builder.notBefore(now.plus(Duration.ofDays(1))).notAfter(now.plus(Duration.ofDays(2))),
        names);
  }

  private interface Step<T> {
    @SuppressWarnings("ProhibitedExceptionDeclared") // the library's
    T run() throws Exception;
  }

  private static <T> T build(Step<T> step) {
    try {
      return step.run();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
