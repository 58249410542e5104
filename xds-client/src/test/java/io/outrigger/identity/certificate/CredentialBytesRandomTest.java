package io.outrigger.identity.certificate;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider.IstioCa;
import io.outrigger.identity.certificate.WorkloadResponse.Svid;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.testing.ForeignBytes;
import io.outrigger.testing.ForeignBytes.Case;
import io.outrigger.testing.Shape;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.testing.IstioCaServer;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.sec.ECPrivateKey;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys, certificates, trust bundles: any bytes are read, or are an {@link UnusableFile}. */
class CredentialBytesRandomTest {
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");
  private static final String ID = "spiffe://mesh/a";
  private static final TestIdentity RSA = issue(Algorithm.rsa2048);
  private static final TestIdentity EC = issue(Algorithm.ecp256);
  private static final TestIdentity ED = issue(Algorithm.ed25519);
  private static final Duration DAY = Duration.ofDays(1);
  private static final int RUNS = 300;

  private static TestIdentity issue(Algorithm algorithm) {
    return AUTHORITY.issue(builder -> builder.algorithm(algorithm), "uri:" + ID, "dns:a.example");
  }

  private static CredentialFile file(byte[] content) {
    return new CredentialFile("file", "/f", new String(content, ISO_8859_1));
  }

  private static CredentialFile pem(String label, byte[] der) {
    return new CredentialFile("file", "/f", TestIdentity.pem(label, der));
  }

  static Stream<Case> readers() throws Exception {
    byte[] rsa = RSA.key().getEncoded();
    byte[] ec = EC.key().getEncoded();
    byte[] ed = ED.key().getEncoded();
    byte[] pkcs1 = inner(rsa);
    byte[] sec1 = inner(ec);
    byte[] named =
        new ECPrivateKey(
                256,
                ECPrivateKey.getInstance(sec1).getKey(),
                PrivateKeyInfo.getInstance(ec).getPrivateKeyAlgorithm().getParameters())
            .getEncoded("DER");
    byte[] certificate = EC.certificate().getEncoded();
    byte[] twoCertificates = concat(certificate, RSA.certificate().getEncoded());
    String roots = AUTHORITY.rootPem();
    Svid svid = new Svid(ID, certificate, ec, AUTHORITY.root().getEncoded());
    String map =
        """
        {"trust_domains": {"mesh": {"spiffe_sequence": 1, "keys": [
          {"use": "x509-svid", "kty": "EC", "x5c": ["%s"]}, {"use": "jwt-svid", "kid": "a"}]}}}
        """
            .formatted(Base64.getEncoder().encodeToString(AUTHORITY.root().getEncoded()));
    return Stream.of(
        of("PKCS #8 of RSA", bytes -> isPair(RSA, "PRIVATE KEY", bytes), rsa),
        of("PKCS #8 of EC", bytes -> isPair(EC, "PRIVATE KEY", bytes), ec),
        of("PKCS #8 of Ed25519", bytes -> isPair(ED, "PRIVATE KEY", bytes), ed),
        of("PKCS #8 of any", bytes -> isPair(EC, "PRIVATE KEY", bytes), rsa, ec, ed),
        of("PKCS #1", bytes -> isPair(RSA, "RSA PRIVATE KEY", bytes), pkcs1),
        of("SEC 1", bytes -> isPair(EC, "EC PRIVATE KEY", bytes), named),
        of(
            "parameters of SEC 1",
            bytes ->
                PrivateKeyReader.read(
                    new CredentialFile(
                        "file",
                        "/f",
                        TestIdentity.pem("EC PARAMETERS", bytes)
                            + TestIdentity.pem("EC PRIVATE KEY", sec1))),
            PrivateKeyInfo.getInstance(ec)
                .getPrivateKeyAlgorithm()
                .getParameters()
                .toASN1Primitive()
                .getEncoded("DER")),
        of(
            "a certificate",
            bytes -> view(CertificateReader.read(pem("CERTIFICATE", bytes))),
            certificate,
            AUTHORITY.root().getEncoded()),
        of(
            "a certificate with its key",
            bytes -> Identity.of(CertificateReader.read(pem("CERTIFICATE", bytes)), EC.key()),
            certificate),
        of(
            "certificates in DER",
            bytes -> view(CertificateReader.readDer(file(bytes), bytes)),
            twoCertificates),
        of(
            "PEM",
            bytes -> view(CertificateReader.read(file(bytes))),
            (EC.chainPem() + EC.keyPem() + AUTHORITY.rootPem()).getBytes(ISO_8859_1)),
        of(
            "PEM of a key",
            bytes -> PrivateKeyReader.read(file(bytes)),
            (EC.chainPem() + EC.keyPem()).getBytes(ISO_8859_1)),
        of(
            "a trust bundle map",
            bytes -> SpiffeBundleReader.read(file(bytes)),
            map.getBytes(ISO_8859_1)),
        of(
            "a Workload API's chain",
            bytes -> workload(new Svid(ID, bytes, ec, svid.bundle())),
            certificate),
        of(
            "a Workload API's key",
            bytes -> workload(new Svid(ID, certificate, bytes, svid.bundle())),
            ec),
        of(
            "a Workload API's names",
            bytes -> {
              String text = new String(bytes, ISO_8859_1);
              new WorkloadResponse(
                      Optional.of(new Svid(text, certificate, ec, svid.bundle())),
                      Map.of(text, svid.bundle()))
                  .read("unix:///a");
            },
            ID.getBytes(ISO_8859_1)),
        of(
            "a certificate of istio's CA",
            bytes -> istioCa(csr -> List.of(TestIdentity.pem("CERTIFICATE", bytes), roots)),
            certificate),
        of(
            "roots of istio's CA",
            bytes -> istioCa(csr -> List.of(leaf(csr), new String(bytes, ISO_8859_1))),
            roots.getBytes(ISO_8859_1)));
  }

  private static Case of(String name, ForeignBytes.Reader reader, byte[]... samples) {
    Shape shape =
        switch (samples[0][0]) {
          case 0x30, 0x06 -> Shape.DER;
          case '{' -> Shape.JSON;
          default -> Shape.BYTES;
        };
    return new Case(name, UnusableFile.class, reader, shape, List.of(samples));
  }

  private static void isPair(TestIdentity identity, String label, byte[] der) throws UnusableFile {
    Identity.of(identity.chain(), PrivateKeyReader.read(pem(label, der)));
  }

  private static void view(List<X509Certificate> certificates) {
    List<CertificateView> views = new ArrayList<>();
    certificates.forEach(each -> views.add(CertificateView.of(each)));
  }

  private static void workload(Svid svid) {
    new WorkloadResponse(Optional.of(svid), Map.of()).read("unix:///a");
  }

  private static String leaf(String csr) {
    return IstioCaServer.chain(AUTHORITY, csr, Instant.EPOCH, DAY, "uri:" + ID).get(0);
  }

  /** Requests a certificate, and gets {@code answer} to the signing request. */
  private static void istioCa(Function<String, List<String>> answer) {
    var loop = new FakeControlLoop();
    var watcher =
        new IstioCaWatcher(
            loop,
            Runnable::run,
            RandomSource.SYSTEM,
            (ca, request, now, then) ->
                then.accept(Outcome.ok(answer.apply(request.apply(Optional.empty())))),
            new IstioCa("ca:1", "/r", "/t", Optional.empty(), DAY, Optional.empty(), "mesh"),
            (before, now) -> {});
    loop.inside(watcher::start);
    loop.run();
    assertThat(watcher.snapshot().error().orElse("")).doesNotContain("a request to the CA failed");
  }

  private static byte[] inner(byte[] pkcs8) throws Exception {
    return PrivateKeyInfo.getInstance(pkcs8).parsePrivateKey().toASN1Primitive().getEncoded("DER");
  }

  private static byte[] concat(byte[] first, byte[] second) {
    byte[] both = java.util.Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  @ParameterizedTest
  @Conformance({"A29-12", "A29-13"})
  @MethodSource("readers")
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void anyBytes(Case reader) {
    ForeignBytes.check(reader, RUNS);
  }
}
