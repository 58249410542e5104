package io.outrigger.identity.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.net.Socket;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a server is shown, beside the JDK's own manager. */
class IdentityKeyManagerTest {
  private static final TestAuthority ROOT = TestAuthority.named("root");
  private static final TestAuthority BETWEEN = ROOT.intermediate("between");
  private static final char[] PASSWORD = {'x'};

  private static final List<String> KEY_TYPES =
      List.of("EC", "RSA", "EdDSA", "RSASSA-PSS", "DSA", "X_Y");

  private static final List<Principal[]> AUTHORITIES =
      List.of(
          new Principal[0],
          principals("CN=root"),
          principals("CN=between"),
          principals("CN=other"),
          principals("CN=other", "CN=root"),
          principals("CN=workload of root"));

  private static Principal[] principals(String... names) {
    return Stream.of(names).map(X500Principal::new).toArray(Principal[]::new);
  }

  static List<TestIdentity> identities() {
    return List.of(
        ROOT.issue("dns:a"),
        BETWEEN.issue("dns:a"),
        ROOT.issue(builder -> builder.algorithm(Algorithm.rsa2048), "dns:a"),
        BETWEEN.issue(builder -> builder.algorithm(Algorithm.rsa2048), "dns:a"),
        BETWEEN.issue(builder -> builder.algorithm(Algorithm.ed25519), "dns:a"));
  }

  private static Identity identity(TestIdentity of) {
    return new Identity(of.chain(), of.key());
  }

  private static X509ExtendedKeyManager jdk(TestIdentity of) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("a", of.key(), PASSWORD, of.chain().toArray(Certificate[]::new));
    KeyManagerFactory factory = KeyManagerFactory.getInstance("SunX509");
    factory.init(store, PASSWORD);
    return (X509ExtendedKeyManager) factory.getKeyManagers()[0];
  }

  @ParameterizedTest
  @MethodSource("identities")
  void anIdentityIsShownWhenTheJdkWouldShowIt(TestIdentity identity) throws Exception {
    X509ExtendedKeyManager jdk = jdk(identity);
    var own = new IdentityKeyManager(identity(identity));

    int shown = 0;
    for (Principal[] authorities : AUTHORITIES) {
      for (String keyType : KEY_TYPES) {
        boolean expected = jdk.getClientAliases(keyType, authorities) != null;
        String[] types = {"NONE", keyType};
        assertThat(
                List.of(
                    own.getClientAliases(keyType, authorities) != null,
                    own.chooseClientAlias(types, authorities, new Socket()) != null,
                    own.chooseEngineClientAlias(types, authorities, null) != null))
            .as("%s, %s", keyType, List.of(authorities))
            .containsOnly(expected);
        shown += expected ? 1 : 0;
      }
    }
    assertThat(shown).isPositive();
    assertThat(own.getClientAliases("EC", null) != null)
        .isEqualTo(jdk.getClientAliases("EC", null) != null);
  }

  @Test
  void theAliasLeadsToTheChainAndTheKey() {
    Identity identity = identity(BETWEEN.issue("dns:a"));
    var own = new IdentityKeyManager(identity);
    String alias = own.chooseEngineClientAlias(new String[] {"EC"}, null, null);

    X509Certificate[] chain = own.getCertificateChain(alias);
    PrivateKey key = own.getPrivateKey(alias);

    assertThat(chain).hasSize(2).containsExactlyElementsOf(identity.chain());
    assertThat(key).isSameAs(identity.key());
    assertThat(own.getCertificateChain("another")).isNull();
    assertThat(own.getPrivateKey("another")).isNull();
    assertThat(own.getPrivateKey(null)).isNull();
  }

  @ParameterizedTest
  @MethodSource("identities")
  void aServerShowsTheIdentityForItsOwnTypeOfKey(TestIdentity identity) {
    var own = new IdentityKeyManager(identity(identity));
    String type = identity.key().getAlgorithm();

    assertThat(own.getServerAliases(type, null)).hasSize(1);
    assertThat(own.chooseServerAlias(type, null, null)).isNotNull();
    assertThat(own.chooseEngineServerAlias(type, null, null)).isNotNull();
    assertThat(own.chooseEngineServerAlias("DSA", null, null)).isNull();
    assertThat(own.getServerAliases("DSA", null)).isNull();
  }
}
