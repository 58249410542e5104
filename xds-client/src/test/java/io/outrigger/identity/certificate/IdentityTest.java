package io.outrigger.identity.certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.sec.ECPrivateKey;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of certificates and keys in every form that a tool writes; and in forms that none does. */
class IdentityTest {
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");
  private static final TestIdentity ONE = AUTHORITY.issue("dns:a.example");

  @TempDir private Path folder;
  private Path certificate = Path.of("");
  private Path key = Path.of("");

  @BeforeEach
  void name() {
    certificate = folder.resolve("cert.pem");
    key = folder.resolve("key.pem");
  }

  private Identity read(String certificates, String keys) throws IOException, UnusableFile {
    Files.writeString(certificate, certificates, StandardCharsets.ISO_8859_1);
    Files.writeString(key, keys, StandardCharsets.ISO_8859_1);
    return Identity.read(certificate.toString(), key.toString());
  }

  private void refused(String certificates, String keys, String reason) {
    assertThatThrownBy(() -> read(certificates, keys))
        .isInstanceOf(UnusableFile.class)
        .hasMessage(
            reason
                .replaceFirst("^CERT ", "certificate_file " + certificate + " ")
                .replaceFirst("^KEY ", "private_key_file " + key + " "));
  }

  // Keys

  @ParameterizedTest
  @Conformance("A29-12")
  @EnumSource(names = {"rsa2048", "rsa3072", "ecp256", "ecp384", "ed25519"})
  void keysOfPkcs8AreRead(Algorithm algorithm) throws Exception {
    TestIdentity made = AUTHORITY.issue(builder -> builder.algorithm(algorithm));

    Identity read = read(made.chainPem(), made.keyPem());

    assertThat(read.key()).isEqualTo(made.key());
    assertThat(read.chain()).isEqualTo(made.chain());
  }

  @Test
  @Conformance("A29-12")
  void rsaKeysOfPkcs1AreRead() throws Exception {
    TestIdentity made = AUTHORITY.issue(builder -> builder.rsa2048());
    byte[] pkcs1 = inner(made.key()).toASN1Primitive().getEncoded("DER");

    assertThat(read(made.chainPem(), TestIdentity.pem("RSA PRIVATE KEY", pkcs1)).key())
        .isEqualTo(made.key());
  }

  @ParameterizedTest(name = "{0}, parameters {1}")
  @Conformance("A29-12")
  @CsvSource({
    "secp256r1, within",
    "secp256r1, before",
    "secp256r1, both",
    "secp384r1, within",
    "secp384r1, before",
    "secp521r1, within",
    "secp521r1, before",
  })
  void ecKeysOfSec1AreReadWithTheCurveWithinOrBeforeThem(String curve, String parameters)
      throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec(curve));
    KeyPair pair = generator.generateKeyPair();
    TestIdentity made = AUTHORITY.issue(builder -> builder.publicKey(pair.getPublic()));
    var info = PrivateKeyInfo.getInstance(pair.getPrivate().getEncoded());
    ASN1Encodable oid = info.getPrivateKeyAlgorithm().getParameters();
    int bits = Integer.parseInt(curve.substring(4, 7));
    var bare = new ECPrivateKey(bits, ECPrivateKey.getInstance(info.parsePrivateKey()).getKey());
    var named =
        new ECPrivateKey(bits, ECPrivateKey.getInstance(info.parsePrivateKey()).getKey(), oid);
    String before = TestIdentity.pem("EC PARAMETERS", oid.toASN1Primitive().getEncoded("DER"));
    byte[] sec1 = (parameters.equals("before") ? bare : named).getEncoded("DER");
    String pem = TestIdentity.pem("EC PRIVATE KEY", sec1);

    Identity read = read(made.chainPem(), parameters.equals("within") ? pem : before + pem);

    assertThat(((java.security.interfaces.ECPrivateKey) read.key()).getS())
        .isEqualTo(((java.security.interfaces.ECPrivateKey) pair.getPrivate()).getS());
  }

  @Test
  @Conformance("A29-12")
  void keysOfALaterVersionOfPkcs8AreRead() throws Exception {
    TestIdentity made = AUTHORITY.issue(builder -> builder.algorithm(Algorithm.ed25519));
    List<Der> parts = Der.parse(made.key().getEncoded()).within(Der.SEQUENCE);
    Der second = new Der(Der.INTEGER, new byte[] {1});
    Der publicKey = new Der(0x81, new byte[33]);
    byte[] later = Der.of(Der.SEQUENCE, second, parts.get(1), parts.get(2), publicKey).bytes();

    assertThat(read(made.chainPem(), TestIdentity.pem("PRIVATE KEY", later)).key())
        .isEqualTo(made.key());
  }

  private static ASN1Encodable inner(PrivateKey key) throws IOException {
    return PrivateKeyInfo.getInstance(key.getEncoded()).parsePrivateKey();
  }

  @Test
  @Conformance("A29-12")
  void chainAndKeyMayStandInOneFileInAnyOrder() throws Exception {
    TestIdentity made = AUTHORITY.intermediate("issuing").issue("dns:a.example");
    for (String text :
        List.of(
            made.chainPem() + made.keyPem(),
            made.keyPem() + made.chainPem(),
            "# made by hand\n" + made.chainPem() + "\n\nkey of it:\n" + made.keyPem())) {
      Files.writeString(certificate, text);

      Identity read = Identity.read(certificate.toString(), certificate.toString());

      assertThat(read.chain()).isEqualTo(made.chain()).hasSize(2);
      assertThat(read.key()).isEqualTo(made.key());
    }
  }

  @ParameterizedTest
  @Conformance("A29-12")
  @ValueSource(
      strings = {
        "-----BEGIN ENCRYPTED PRIVATE KEY-----~MIIB~-----END ENCRYPTED PRIVATE KEY-----~",
        "-----BEGIN RSA PRIVATE KEY-----~Proc-Type: 4,ENCRYPTED~DEK-Info: AES-256-CBC,00~~MIIB~"
            + "-----END RSA PRIVATE KEY-----~",
        "-----BEGIN EC PRIVATE KEY-----~Proc-Type: 4,ENCRYPTED~DEK-Info: AES-256-CBC,00~~MIIB~"
            + "-----END EC PRIVATE KEY-----~",
      })
  void anEncryptedKeyIsNamedAsSuch(String lines) {
    refused(
        ONE.chainPem(),
        lines.replace("~", "\r\n"),
        "KEY has an encrypted private key; give it without a passphrase: openssl pkey -in "
            + key
            + " -out FILE.pem");
  }

  @Test
  @Conformance("A29-12")
  void keysThatCannotBeUsedAreNamedWithoutTheirContent() throws Exception {
    String good = ONE.keyPem();
    String supported = "give an RSA, EC (P-256, P-384, P-521) or Ed25519 key";

    String absent = "KEY has no private key; PEM is needed: -----BEGIN PRIVATE KEY-----";
    refused(ONE.chainPem(), "", absent);
    refused(ONE.chainPem(), ONE.chainPem(), absent);
    refused(
        ONE.chainPem(), good + good, "KEY has 2 private keys; leave the one of the certificate");
    refused(
        ONE.chainPem(),
        good.replace("PRIVATE KEY", "OPENSSH PRIVATE KEY"),
        "KEY has a OPENSSH PRIVATE KEY; " + supported);
    refused(
        ONE.chainPem(),
        AUTHORITY.issue(builder -> builder.algorithm(Algorithm.ed448)).keyPem(),
        "KEY has a private key that is unreadable or of another algorithm or curve; " + supported);
    refused(
        ONE.chainPem(),
        new String(ONE.key().getEncoded(), StandardCharsets.ISO_8859_1),
        "KEY is binary (DER); PEM is needed: openssl pkey -inform der -in "
            + key
            + " -out FILE.pem");
    refused(
        ONE.chainPem(),
        good.substring(0, good.length() / 2),
        "KEY is truncated or damaged: the PRIVATE KEY of line 1 has no end");
    refused(
        ONE.chainPem(),
        "\n" + good.replace("\nM", "\n!"),
        "KEY is damaged: the PRIVATE KEY of line 2 is not base64");
    refused(
        ONE.chainPem(),
        TestIdentity.pem("PRIVATE KEY", new byte[] {0x30, 0x7F, 1}),
        "KEY has a private key that is unreadable or of another algorithm or curve; " + supported);
    refused(
        ONE.chainPem(),
        TestIdentity.pem("PRIVATE KEY", new byte[] {0x30, 0}),
        "KEY has a private key that is unreadable or of another algorithm or curve; " + supported);
    byte[] withoutCurve =
        new ECPrivateKey(256, ECPrivateKey.getInstance(inner(ONE.key())).getKey())
            .getEncoded("DER");
    refused(
        ONE.chainPem(),
        TestIdentity.pem("EC PRIVATE KEY", withoutCurve),
        "KEY has an EC key that does not name its curve");
    refused(
        ONE.chainPem(),
        TestIdentity.pem("RSA PRIVATE KEY", withoutCurve),
        "KEY has a private key that is unreadable or of another algorithm or curve; " + supported);
  }

  /** However a file is cut or damaged, it is read or refused, and never fails otherwise. */
  @Test
  @Conformance("A29-12")
  void noDamageIsWorseThanARefusal() throws Exception {
    TestIdentity rsa = AUTHORITY.issue(builder -> builder.rsa2048());
    byte[] pkcs1 = inner(rsa.key()).toASN1Primitive().getEncoded("DER");
    int refused = 0;
    int cases = 0;
    for (int at = 0; at < pkcs1.length; at += 29) {
      byte[] damaged = pkcs1.clone();
      damaged[at] ^= 0x55;
      refused += isRefused(rsa, TestIdentity.pem("RSA PRIVATE KEY", damaged)) ? 1 : 0;
      cases++;
    }
    byte[] pkcs8 = rsa.key().getEncoded();
    for (int length = 0; length < pkcs8.length; length += 31) {
      String text = TestIdentity.pem("PRIVATE KEY", Arrays.copyOf(pkcs8, length));
      refused += isRefused(rsa, text) ? 1 : 0;
      cases++;
    }

    assertThat(refused).isGreaterThan(cases / 2);
  }

  private boolean isRefused(TestIdentity of, String keys) throws IOException {
    try {
      read(of.chainPem(), keys);
      return false;
    } catch (UnusableFile refused) {
      return true;
    }
  }

  // Certificates

  @Test
  @Conformance("A29-12")
  void aChainOfAHundredIsReadInItsOrder() throws Exception {
    List<TestIdentity> all =
        IntStream.range(0, 100).mapToObj(i -> AUTHORITY.issue("dns:h" + i)).toList();
    String text = all.stream().map(TestIdentity::chainPem).collect(Collectors.joining());

    assertThat(read(text, all.get(0).keyPem()).chain())
        .isEqualTo(all.stream().map(TestIdentity::certificate).toList());
  }

  @Test
  @Conformance("A29-12")
  void lineEndsAndMarksOfEditorsDoNoHarm() throws Exception {
    String windows = "\u00ef\u00bb\u00bf" + ONE.chainPem().replace("\n", "\r\n");

    assertThat(read(windows, ONE.keyPem().stripTrailing()).chain()).isEqualTo(ONE.chain());
  }

  @Test
  @Conformance("A29-12")
  void certificatesThatCannotBeUsedAreNamedWithTheRemedy() throws Exception {
    String good = ONE.chainPem();

    String absent = "CERT has no certificate; PEM is needed: -----BEGIN CERTIFICATE-----";
    refused("", ONE.keyPem(), absent);
    refused("hello", ONE.keyPem(), absent);
    refused(ONE.keyPem(), ONE.keyPem(), absent);
    refused(
        new String(ONE.certificate().getEncoded(), StandardCharsets.ISO_8859_1),
        ONE.keyPem(),
        "CERT is binary (DER); PEM is needed: openssl x509 -inform der -in "
            + certificate
            + " -out FILE.pem");
    refused(
        good + good.substring(0, good.length() - 30),
        ONE.keyPem(),
        "CERT is truncated or damaged: the CERTIFICATE of line "
            + (1 + good.lines().count())
            + " has no end");
    refused(
        good.replaceFirst("\n-----END CERT", "\n-----BEGIN CERT"),
        ONE.keyPem(),
        "CERT is truncated or damaged: the CERTIFICATE of line 1 has no end");
    refused(
        good.replace("CERTIFICATE", "TRUSTED CERTIFICATE"),
        ONE.keyPem(),
        "CERT has a TRUSTED CERTIFICATE, a form of OpenSSL's own; convert it: openssl x509 -in "
            + certificate
            + " -out FILE.pem");
    refused("x".repeat(CredentialFile.MAX_BYTES + 1), ONE.keyPem(), "CERT is larger than 1 MiB");
    assertThatThrownBy(
            () -> read(TestIdentity.pem("CERTIFICATE", new byte[] {0x30, 0}), ONE.keyPem()))
        .isInstanceOf(UnusableFile.class)
        .hasMessageStartingWith(
            "certificate_file " + certificate + " is damaged: the CERTIFICATE of line 1 is not");
  }

  @Test
  void whatIsNoFileIsNamedAsWhatItIs() throws Exception {
    assertThatThrownBy(() -> Identity.read(certificate.toString(), key.toString()))
        .hasMessage("certificate_file " + certificate + " does not exist");
    Files.createDirectory(certificate);
    assertThatThrownBy(() -> Identity.read(certificate.toString(), key.toString()))
        .hasMessage("certificate_file " + certificate + " is a folder");
    assertThatThrownBy(() -> Identity.read("/dev/null", key.toString()))
        .hasMessage("certificate_file /dev/null is no regular file");
    assertThatThrownBy(() -> Identity.read("a\0b", key.toString()))
        .isInstanceOf(UnusableFile.class);
  }

  // Pairs

  @Test
  void aKeyOfAnotherCertificateIsRefused() throws GeneralSecurityException {
    TestIdentity other = AUTHORITY.issue();
    TestIdentity rsa = AUTHORITY.issue(builder -> builder.rsa2048());

    refused(
        ONE.chainPem(), other.keyPem(), "KEY is not the key of certificate_file " + certificate);
    refused(ONE.chainPem(), rsa.keyPem(), "KEY is not the key of certificate_file " + certificate);
    refused(
        other.chainPem() + ONE.chainPem(),
        ONE.keyPem(),
        "KEY is not the key of certificate_file "
            + certificate
            + ", whose own certificate must stand before those of its issuers");
  }

  @Test
  void aCertificateWithoutASubjectIsKnownByItsName() throws Exception {
    byte[] uri = "spiffe://mesh/pay".getBytes(StandardCharsets.US_ASCII);
    byte[] names = Der.of(Der.SEQUENCE, new Der(Der.CONTEXT_URI, uri)).bytes();
    TestIdentity workload =
        TestAuthority.named("root")
            .issue(leaf -> leaf.subject("").addExtensionOctetString("2.5.29.17", true, names));

    assertThat(read(workload.chainPem(), workload.keyPem()))
        .hasToString("identity of spiffe://mesh/pay");
    assertThat(
            new TrustedRoots(List.of(), PeerRole.CLIENT)
                .objection(workload.chain(), Optional.empty()))
        .asString()
        .contains("\"spiffe://mesh/pay\" does not lead to a root");
  }

  @Test
  void aCertificateWithoutAnyNameIsSaidToHaveNone() throws Exception {
    TestIdentity workload = TestAuthority.named("root").issue(leaf -> leaf.subject(""));

    assertThat(read(workload.chainPem(), workload.keyPem()))
        .hasToString("identity of a certificate without a name");
  }

  @Test
  void nothingOfAKeyIsInTexts() throws Exception {
    assertThat(read(ONE.chainPem(), ONE.keyPem())).hasToString("identity of CN=workload of root");
    assertThat(new CredentialFile("private_key_file", "k", "secret"))
        .hasToString("private_key_file k");
  }
}
