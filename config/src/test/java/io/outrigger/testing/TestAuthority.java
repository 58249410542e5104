package io.outrigger.testing;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.math.BigInteger;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

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

  /** {@code certificate}, signed anew by this authority. */
  public X509Certificate signedBy(String algorithm, X509Certificate certificate) {
    return build(
        () ->
            new JcaX509CertificateConverter()
                .getCertificate(
                    new X509v3CertificateBuilder(new JcaX509CertificateHolder(certificate))
                        .build(
                            new JcaContentSignerBuilder(algorithm)
                                .setProvider(new BouncyCastleProvider())
                                .build(issuer.getKeyPair().getPrivate()))));
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

  /** A certificate with neither a subject nor alternative names; only Bouncy Castle parses it. */
  public TestIdentity issueWithoutNames() {
    TestIdentity named = issue();
    X509Certificate certificate = named.certificate();
    var unsigned =
        new X509v3CertificateBuilder(
            X500Name.getInstance(certificate.getIssuerX500Principal().getEncoded()),
            certificate.getSerialNumber(),
            certificate.getNotBefore(),
            certificate.getNotAfter(),
            new X500Name(new RDN[0]),
            SubjectPublicKeyInfo.getInstance(certificate.getPublicKey().getEncoded()));
    var usage = new KeyUsage(KeyUsage.digitalSignature); // without extensions, the JDK parses it
    X509Certificate nameless =
        build(
            () ->
                new JcaX509CertificateConverter()
                    .setProvider(new BouncyCastleProvider())
                    .getCertificate(
                        unsigned
                            .addExtension(Extension.keyUsage, true, usage)
                            .build(
                                new JcaContentSignerBuilder("SHA256withECDSA")
                                    .setProvider(new BouncyCastleProvider())
                                    .build(issuer.getKeyPair().getPrivate()))));
    X509Certificate[] chain = {nameless};
    return new TestIdentity(
        X509Bundle.fromCertificatePath(chain, root(), named.bundle().getKeyPair()));
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
