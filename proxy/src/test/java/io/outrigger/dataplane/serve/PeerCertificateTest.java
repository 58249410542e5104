package io.outrigger.dataplane.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.ForeignBytes;
import io.outrigger.testing.ForeignBytes.Case;
import io.outrigger.testing.Shape;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class PeerCertificateTest {
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");

  @Test
  @Conformance("A41-07")
  void theNamesOfEachKindAreKept() throws Exception {
    TestIdentity peer =
        AUTHORITY.issue("uri:spiffe://a/b", "dns:one.example", "uri:https://c", "ip:10.0.0.1");

    assertThat(PeerCertificate.identity(peer.certificate()))
        .isEqualTo(
            new PeerIdentity.Certified(
                List.of("spiffe://a/b", "https://c"),
                List.of("one.example"),
                "CN=workload of root"));
  }

  /** The JDK reads such a certificate as one without names, which would leave its subject. */
  @Test
  @Conformance("A41-07")
  void malformedNamesAreRefused() {
    TestIdentity peer = AUTHORITY.issue("uri:spiffe://a/b c", "dns:one.example");

    assertThatThrownBy(() -> PeerCertificate.identity(peer.certificate()))
        .isInstanceOf(CertificateException.class)
        .hasMessage("the subject alternative names are malformed");
  }

  @Test
  @Conformance("OPS-03")
  void theFormIsEnvoysAndItsCharactersAreHarmless() throws Exception {
    TestIdentity peer =
        AUTHORITY.issue(
            builder -> builder.subject("CN=a\\\"b\\,c, O=\u00E9"),
            "uri:spiffe://a/b;By=spiffe://admin",
            "dns:x.example");

    String text = PeerCertificate.forwarded(peer.certificate(), Optional.empty());

    assertThat(text)
        .startsWith("Hash=")
        .contains(";URI=\"spiffe://a/b;By=spiffe://admin\";", ";DNS=x.example")
        .contains("O=%C3%A9")
        .matches("[ -~]*");
    assertThat(text.substring(text.indexOf("Subject="))).startsWith("Subject=\"CN=a\\\"b\\,c,O=");
  }

  @Test
  @Conformance("OPS-03")
  void aCertificateWithoutUriHasAnEmptyOne() throws Exception {
    TestIdentity peer = AUTHORITY.issue("dns:x.example");

    assertThat(PeerCertificate.forwarded(peer.certificate(), Optional.empty()))
        .endsWith(";Subject=\"CN=workload of root\";URI=;DNS=x.example");
  }

  @Test
  void theOwnNameComesFirst() throws Exception {
    TestIdentity own = AUTHORITY.issue("uri:spiffe://mesh/pay", "dns:pay");
    TestIdentity peer = AUTHORITY.issue("uri:spiffe://mesh/shop");

    assertThat(PeerCertificate.forwarded(peer.certificate(), Optional.of(own.certificate())))
        .startsWith("By=spiffe://mesh/pay;Hash=")
        .endsWith(";Subject=\"CN=workload of root\";URI=spiffe://mesh/shop");
  }

  /** The caller is not to blame for it. */
  @Test
  void malformedNamesOfItsOwnAreOmitted() throws Exception {
    TestIdentity own = AUTHORITY.issue("uri:spiffe://a/b c");
    TestIdentity peer = AUTHORITY.issue("uri:spiffe://mesh/shop");

    assertThat(PeerCertificate.forwarded(peer.certificate(), Optional.of(own.certificate())))
        .startsWith("Hash=")
        .endsWith(";URI=spiffe://mesh/shop");
  }

  /** A handshake is over when the names are read: an exception that is not declared is a bug. */
  @Test
  @Conformance("A41-07")
  void anyCertificateHasNamesOrIsRefused() throws Exception {
    byte[] certificate =
        AUTHORITY
            .issue("uri:spiffe://a/b", "dns:one.example", "ip:10.0.0.1")
            .certificate()
            .getEncoded();
    ForeignBytes.check(
        new Case(
            "names of a certificate",
            CertificateException.class,
            bytes -> {
              X509Certificate leaf =
                  (X509Certificate)
                      CertificateFactory.getInstance("X.509")
                          .generateCertificate(new ByteArrayInputStream(bytes));
              PeerCertificate.identity(leaf);
              assertThat(PeerCertificate.forwarded(leaf, Optional.of(leaf))).matches("[ -~]*");
            },
            Shape.DER,
            List.of(certificate)),
        3000);
  }
}
