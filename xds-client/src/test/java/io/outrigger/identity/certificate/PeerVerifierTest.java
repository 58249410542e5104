package io.outrigger.identity.certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.re2j.Pattern;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.tls.SanMatcher;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.AbstractList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PeerVerifierTest {
  private static final TestAuthority OURS = TestAuthority.named("ours");
  private static final TestAuthority THEIRS = TestAuthority.named("theirs");
  private static final Roots ROOTS = new Roots.Authorities(List.of(OURS.root()));

  private static UpstreamTls settings(SanMatcher... matchers) {
    return new UpstreamTls(
        Optional.empty(), new TrustSource.Provider("x"), List.of(matchers), "", false, false);
  }

  private static SanMatcher exactly(String name) {
    return SanMatcher.ofAnyKind(new StringMatcher.Exact(name, false));
  }

  private static PeerVerifier verifier(Roots roots, SanMatcher... matchers) {
    return PeerVerifier.of(new TlsMaterial(settings(matchers), Optional.empty(), roots));
  }

  private static String objection(PeerVerifier verifier, TestIdentity server) {
    return verifier
        .objection(server.chain(), Optional.empty())
        .map(CertificateRefusal::text)
        .orElse("accepted");
  }

  @Test
  @Conformance("A29-03")
  void aChainMustLeadToTheRoots() {
    var verifier = verifier(ROOTS);

    assertThat(objection(verifier, OURS.issue("dns:a"))).isEqualTo("accepted");
    assertThat(objection(verifier, OURS.issue())).isEqualTo("accepted");
    assertThat(objection(verifier, OURS.intermediate("issuing").issue("dns:a")))
        .isEqualTo("accepted");
    assertThat(objection(verifier, THEIRS.issue("dns:a")))
        .isEqualTo(
            "certificate verify failed: \"CN=workload of theirs\" does not lead to a root; the last"
                + " of its chain was issued by \"CN=theirs\"");
    assertThat(objection(verifier, TestAuthority.named("ours").issue("dns:a")))
        .as("a root of the same name")
        .startsWith("certificate verify failed: \"CN=workload of ours\"");
    assertThat(verifier.objection(List.of(), Optional.empty()).map(CertificateRefusal::text))
        .contains("certificate verify failed: the server has shown no certificate");
    assertThat(objection(verifier(new Roots.Authorities(List.of())), OURS.issue()))
        .isEqualTo("certificate verify failed: there are no roots");
  }

  /** Parsers of the JDK throw what they do not declare; no such exception may reach a loop. */
  @Test
  @Conformance("A29-03")
  void whateverIsThrownIsARefusal() {
    List<X509Certificate> deep =
        new AbstractList<>() {
          @Override
          public X509Certificate get(int index) {
            throw new StackOverflowError();
          }

          @Override
          public int size() {
            return 1;
          }
        };
    List<X509Certificate> unreadable = Collections.singletonList(null);

    assertThat(
            List.of(
                verifier(ROOTS).objection(deep, Optional.empty()),
                verifier(ROOTS).objection(unreadable, Optional.empty()),
                verifier(ROOTS).objectionToOpen(unreadable, Optional.empty())))
        .allSatisfy(
            refusal ->
                assertThat(refusal.map(CertificateRefusal::text))
                    .contains("certificate verify failed: the server's certificate is malformed"));
  }

  @Test
  void anExpressionThatOverflowsTheStackIsNoFaultOfThePeer() {
    var tooLarge = new StringMatcher.Regex(Pattern.compile("x" + "(((a?)))".repeat(2000)));

    assertThat(objection(verifier(ROOTS, SanMatcher.ofAnyKind(tooLarge)), OURS.issue("dns:xb")))
        .isEqualTo(
            "certificate verify failed: a regular expression for its names is too large to match");
  }

  @Test
  @Conformance("A29-03")
  void aChainIsJudgedByItsTime() {
    TestIdentity expired = OURS.issueExpired("dns:a");
    TestIdentity early = OURS.issueForTomorrow("dns:a");

    assertThat(objection(verifier(ROOTS), expired))
        .isEqualTo(
            "certificate verify failed: \"CN=workload of ours\" has expired at "
                + expired.certificate().getNotAfter().toInstant());
    assertThat(objection(verifier(ROOTS), early))
        .isEqualTo(
            "certificate verify failed: \"CN=workload of ours\" is not valid before "
                + early.certificate().getNotBefore().toInstant());
  }

  @Test
  @Conformance("A29-03")
  void aCertificateForClientsAloneIsNoServers() {
    assertThat(
            objection(
                verifier(ROOTS),
                OURS.issue(builder -> builder.addExtendedKeyUsageClientAuth(), "dns:a")))
        .isEqualTo(
            "certificate verify failed: \"CN=workload of ours\" is not for servers (extended key"
                + " usage)");
  }

  @Conformance("A29-03")
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "uri:spiffe://mesh/a, accepted",
    "dns:*.mesh,          accepted",
    "ip:2001:db8::1,      accepted",
    "email:a@mesh,        accepted",
    "uri:spiffe://mesh/b, 'SAN uri:spiffe://mesh/b not accepted; wanted: exactly"
        + " \"spiffe://mesh/a\", exactly \"a.mesh\", exactly \"2001:db8::1\", exactly \"a@mesh\"'",
  })
  void aServerIsAcceptedByItsNames(String name, String result) {
    var verifier =
        verifier(
            ROOTS,
            exactly("spiffe://mesh/a"),
            exactly("a.mesh"),
            exactly("2001:db8::1"),
            exactly("a@mesh"));

    assertThat(objection(verifier, OURS.issue(name))).isEqualTo(result);
  }

  @Test
  @Conformance("A29-03")
  void acceptedNamesDoNotMakeUpForAWrongRoot() {
    assertThat(objection(verifier(ROOTS, exactly("a")), THEIRS.issue("dns:a")))
        .startsWith("certificate verify failed: ");
  }

  // SPIFFE

  private static final Roots BUNDLES =
      new Roots.SpiffeBundles(
          Map.of(
              "ours.example",
              List.of(OURS.root()),
              "theirs.example",
              List.of(THEIRS.root()),
              "empty.example",
              List.of()));

  @Test
  @Conformance({"A87-01", "A29-09"})
  void theTrustDomainChoosesTheRoots() {
    var verifier = verifier(BUNDLES);

    assertThat(objection(verifier, OURS.issue("uri:spiffe://ours.example/a", "dns:a")))
        .isEqualTo("accepted");
    assertThat(objection(verifier, THEIRS.issue("uri:spiffe://theirs.example/a")))
        .isEqualTo("accepted");
    assertThat(objection(verifier, THEIRS.issue("uri:spiffe://ours.example/a")))
        .as("one domain cannot vouch for another")
        .isEqualTo(
            "certificate verify failed: \"CN=workload of theirs\" does not lead to a root; the last"
                + " of its chain was issued by \"CN=theirs\"");
  }

  @Test
  @Conformance("A87-01")
  void aServerWithoutOneSpiffeIdOfAKnownDomainIsRefused() {
    var verifier = verifier(BUNDLES);

    assertThat(objection(verifier, OURS.issue("dns:a")))
        .isEqualTo(
            "certificate verify failed: it has 0 URI SANs where SPIFFE requires exactly one");
    assertThat(
            objection(
                verifier, OURS.issue("uri:spiffe://ours.example/a", "uri:spiffe://ours.example/b")))
        .isEqualTo(
            "certificate verify failed: it has 2 URI SANs where SPIFFE requires exactly one");
    assertThat(objection(verifier, OURS.issue("uri:https://ours.example/a")))
        .isEqualTo("certificate verify failed: uri:https://ours.example/a is not a SPIFFE ID");
    for (String domain : List.of("other.example", "empty.example")) {
      assertThat(objection(verifier, OURS.issue("uri:spiffe://" + domain + "/a")))
          .isEqualTo(
              "certificate verify failed: the trust bundle map has no roots for trust domain \""
                  + domain
                  + "\"");
    }
  }

  @Test
  @Conformance("A87-01")
  void matchersCountForSpiffeToo() {
    var verifier = verifier(BUNDLES, exactly("spiffe://ours.example/a"));

    assertThat(objection(verifier, OURS.issue("uri:spiffe://ours.example/a")))
        .isEqualTo("accepted");
    assertThat(objection(verifier, OURS.issue("uri:spiffe://ours.example/b")))
        .startsWith("SAN uri:spiffe://ours.example/b not accepted; wanted: ");
  }

  // Within a handshake, in memory

  @Test
  @Conformance("A101-01")
  void aHandshakeIsJudgedByTheServerNameThatItSent() throws Exception {
    var settings =
        new UpstreamTls(Optional.empty(), new TrustSource.SystemRoots(), List.of(), "", true, true);
    var verifier = PeerVerifier.of(new TlsMaterial(settings, Optional.empty(), ROOTS));
    TestIdentity server = OURS.issue("dns:a.example");

    handshake(verifier, server, "a.example");

    assertThatThrownBy(() -> handshake(verifier, server, "c.example"))
        .isInstanceOf(SSLException.class)
        .rootCause()
        .hasMessage(
            "SAN dns:a.example not accepted; wanted: dns \"c.example\", the requested server name");
  }

  @Test
  @Conformance("A101-01")
  void aServerNameIsSentAsGiven() throws Exception {
    String name = "outbound_.80_._.pay.svc";
    SSLEngine client = client(verifier(ROOTS), name);
    ByteBuffer hello = ByteBuffer.allocate(1 << 16);

    client.wrap(ByteBuffer.allocate(0), hello);

    assertThat(StandardCharsets.ISO_8859_1.decode(hello.flip()).toString()).contains(name);
  }

  private static void handshake(PeerVerifier verifier, TestIdentity identity, String sni)
      throws Exception {
    SSLContext accepting = SSLContext.getInstance("TLS");
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, null);
    keys.setKeyEntry(
        "server", identity.key(), new char[0], identity.chain().toArray(X509Certificate[]::new));
    KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
    factory.init(keys, new char[0]);
    accepting.init(factory.getKeyManagers(), null, null);
    SSLEngine server = accepting.createSSLEngine();
    server.setUseClientMode(false);
    SSLEngine client = client(verifier, sni);

    ByteBuffer toServer = ByteBuffer.allocate(1 << 16);
    ByteBuffer toClient = ByteBuffer.allocate(1 << 16);
    for (int turn = 0; turn < 100 && isShaking(client, server); turn++) {
      step(client, toClient, toServer);
      step(server, toServer, toClient);
    }
    assertThat(client.getSession().getProtocol()).startsWith("TLSv1.");
  }

  private static SSLEngine client(PeerVerifier verifier, String sni)
      throws GeneralSecurityException {
    SSLContext connecting = SSLContext.getInstance("TLS");
    connecting.init(null, new TrustManager[] {new PeerTrustManager(verifier::objection)}, null);
    SSLEngine client = connecting.createSSLEngine();
    client.setUseClientMode(true);
    var parameters = client.getSSLParameters();
    parameters.setServerNames(List.of(new ServerName(sni)));
    parameters.setEndpointIdentificationAlgorithm("HTTPS"); // and still no host name is checked
    client.setSSLParameters(parameters);
    return client;
  }

  private static boolean isShaking(SSLEngine client, SSLEngine server) {
    return client.getSession().getProtocol().equals("NONE")
        || client.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING
        || server.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING;
  }

  private static void step(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws SSLException {
    in.flip();
    engine.unwrap(in, ByteBuffer.allocate(1 << 16));
    in.compact();
    for (Runnable task = engine.getDelegatedTask(); task != null; ) {
      task.run();
      task = engine.getDelegatedTask();
    }
    engine.wrap(ByteBuffer.allocate(0), out);
  }
}
