package io.outrigger.identity.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.identity.certificate.Identity;
import io.outrigger.identity.certificate.Roots;
import io.outrigger.identity.certificate.TlsMaterial;
import io.outrigger.testing.ChildJvm;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** For whom BoringSSL is used, and for whom the JDK. */
class TlsLibraryTest {
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");
  private static final UpstreamTls SETTINGS =
      new UpstreamTls(
          Optional.empty(), new TrustSource.Provider("default"), List.of(), "", false, false);

  private static TlsMaterial material(Optional<Identity> identity) {
    return new TlsMaterial(SETTINGS, identity, new Roots.Authorities(List.of(AUTHORITY.root())));
  }

  @AfterEach
  void leaveTheChoice() {
    System.clearProperty(TlsLibrary.PROPERTY);
  }

  @ParameterizedTest
  @CsvSource({"ecp256, true", "ecp384, true", "rsa2048, true", "rsa3072, false", "ed25519, false"})
  void anIdentityThatItCannotSignWithSoonGoesToTheJdk(Algorithm algorithm, boolean admitted) {
    TestIdentity issued = AUTHORITY.issue(builder -> builder.algorithm(algorithm), "dns:a.example");
    var identity = new Identity(issued.chain(), issued.key());

    assertThat(TlsLibrary.of(material(Optional.of(identity))) == TlsLibrary.BORINGSSL)
        .isEqualTo(admitted);
  }

  @ParameterizedTest
  @CsvSource({"secp256r1, true", "secp384r1, true", "secp521r1, false"})
  void anIdentityOnALargerCurveGoesToTheJdk(String curve, boolean admitted) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec(curve));

    assertThat(BoringSslEngines.canSign(generator.generateKeyPair().getPublic()))
        .isEqualTo(admitted);
  }

  /** A process whose Netty loads no BoringSSL, as on a system for which there is none. */
  static final class WithoutBoringSsl {
    private WithoutBoringSsl() {}

    public static void main(String[] args) {
      System.out.println(TlsLibrary.of(material(Optional.empty())));
    }
  }

  @Test
  void withoutBoringSslTheJdkServesWithAWarning() throws Exception {
    String printed = ChildJvm.run(WithoutBoringSsl.class, "-Dio.netty.handler.ssl.noOpenSsl=true");

    assertThat(printed).contains("WARN").contains("BoringSSL cannot be loaded, so TLS is the JDK");
    assertThat(printed.strip()).endsWith("JDK");
  }

  @Test
  void whoAsksForItHasTheJdksLibrary() {
    assertThat(TlsLibrary.of(material(Optional.empty()))).isEqualTo(TlsLibrary.BORINGSSL);

    System.setProperty(TlsLibrary.PROPERTY, "jdk");
    assertThat(TlsLibrary.of(material(Optional.empty()))).isEqualTo(TlsLibrary.JDK);
  }
}
