package io.outrigger.identity.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.internal.tcnative.SSL;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.CertificateBuilder.ExtendedKeyUsage;
import io.netty.util.concurrent.Future;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.tls.DownstreamTls;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.config.tls.SanMatcher;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.identity.certificate.Identity;
import io.outrigger.identity.certificate.PeerRole;
import io.outrigger.identity.certificate.PeerVerifier;
import io.outrigger.identity.certificate.Roots;
import io.outrigger.identity.certificate.TlsMaterial;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/** Handshakes in memory: both libraries, both versions of TLS. */
@ParameterizedClass
@CsvSource({
  "BORINGSSL, TLSv1.3",
  "BORINGSSL, TLSv1.2",
  "JDK, TLSv1.3",
  "JDK, TLSv1.2",
})
class TlsEnginesTest {
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");
  private static final TestAuthority STRANGER = TestAuthority.named("stranger");

  private static final String PROVIDER = "default";
  private static final Roots ROOTS = new Roots.Authorities(List.of(AUTHORITY.root()));
  private static final DownstreamTls REQUIRED = tls(true, List.of());
  private static final DownstreamTls OPTIONAL = tls(false, List.of());
  private static final DownstreamTls NOT_ASKED =
      new DownstreamTls(PROVIDER, Optional.empty(), false, List.of());

  private final TlsLibrary library;
  private final String version;
  private SslProvider clients = SslProvider.JDK;
  private EmbeddedChannel client = new EmbeddedChannel();
  private EmbeddedChannel server = new EmbeddedChannel();

  TlsEnginesTest(TlsLibrary library, String version) {
    this.library = library;
    this.version = version;
  }

  /** Shakes hands with a server of this identity; returns what became of it. */
  private Handshake shake(TestIdentity identity) throws Exception {
    UpstreamTls settings = EachConnectionContext.settings("a.example");
    var material =
        new TlsMaterial(
            settings, Optional.empty(), new Roots.Authorities(List.of(AUTHORITY.root())));
    var ours =
        new SslHandler(
            library
                .engines(material, List.of("h2"), PeerVerifier.of(material))
                .engine(Optional.of("a.example"), ByteBufAllocator.DEFAULT));
    var theirs =
        SslContextBuilder.forServer(identity.key(), identity.chain())
            .sslProvider(SslProvider.JDK)
            .protocols(version)
            .build()
            .newHandler(ByteBufAllocator.DEFAULT);
    return shake(ours, theirs);
  }

  /** Shakes hands with a client as the server {@code identity}; returns what became of it. */
  private Handshake serve(
      TestIdentity identity, DownstreamTls settings, Roots roots, Optional<TestIdentity> caller)
      throws Exception {
    var material =
        new TlsMaterial(
            settings, Optional.of(new Identity(identity.chain(), identity.key())), roots);
    var ours =
        new SslHandler(
            library
                .engines(material, List.of("h2"), PeerVerifier.of(material))
                .engine(Optional.empty(), ByteBufAllocator.DEFAULT));
    SslContextBuilder theirs =
        SslContextBuilder.forClient()
            .sslProvider(clients)
            .protocols(version)
            .endpointIdentificationAlgorithm(null)
            .applicationProtocolConfig(JdkEngines.alpn(List.of("istio", "h2")))
            .trustManager(AUTHORITY.root());
    caller.ifPresent(shown -> theirs.keyManager(shown.key(), shown.chain()));
    SslHandler handler = theirs.build().newHandler(ByteBufAllocator.DEFAULT);
    if (handler.engine() instanceof ReferenceCountedOpenSslEngine engine) {
      SSL.clearOptions(engine.sslPointer(), SSL.SSL_OP_NO_TICKET); // Netty offers to take none
    }
    return shake(ours, handler);
  }

  private Handshake serve(DownstreamTls settings, Optional<TestIdentity> caller) throws Exception {
    return serve(AUTHORITY.issue("uri:spiffe://mesh/pay"), settings, ROOTS, caller);
  }

  private Handshake shake(SslHandler ours, SslHandler theirs) {
    close();
    client = new EmbeddedChannel(ours);
    server = new EmbeddedChannel(theirs);
    for (int turn = 0; turn < 20; turn++) {
      pass(client, server);
      pass(server, client);
    }
    return new Handshake(ours.handshakeFuture(), theirs.handshakeFuture(), ours.engine());
  }

  private record Handshake(Future<Channel> ours, Future<Channel> theirs, SSLEngine engine) {}

  private static void pass(EmbeddedChannel from, EmbeddedChannel to) {
    for (ByteBuf bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
      if (!to.isOpen()) {
        bytes.release();
        continue;
      }
      try {
        to.writeInbound(bytes);
      } catch (RuntimeException failed) {
        assertThat(failed).isInstanceOf(DecoderException.class); // the futures have it
      }
    }
  }

  @AfterEach
  void close() {
    close(client);
    close(server);
  }

  private static void close(EmbeddedChannel channel) {
    channel.close();
    channel.releaseInbound();
    channel.releaseOutbound();
  }

  @Test
  void aServerOfTheRootsAndTheNameIsAccepted() throws Exception {
    Handshake handshake = shake(AUTHORITY.issue("dns:a.example"));

    assertThat(handshake.ours().isSuccess()).isTrue();
    assertThat(handshake.engine().getSession().getProtocol()).isEqualTo(version);
  }

  @Test
  @Conformance("A29-06")
  void theAlertSaysWhyAServerIsRefused() throws Exception {
    assertAlert(
        AUTHORITY.issueExpired("dns:a.example"),
        "certificate_expired",
        HandshakeResult.CERTIFICATE_EXPIRED);
    assertAlert(
        AUTHORITY.issueForTomorrow("dns:a.example"),
        "bad_certificate",
        HandshakeResult.CERTIFICATE_NOT_YET_VALID);
    assertAlert(
        STRANGER.issue("dns:a.example"),
        "unknown_ca",
        HandshakeResult.CERTIFICATE_AUTHORITY_INVALID);
    assertAlert(
        AUTHORITY.issue("dns:b.example"),
        "bad_certificate",
        HandshakeResult.CERTIFICATE_HOSTNAME_MISMATCH);
  }

  private static DownstreamTls tls(boolean required, List<SanMatcher> names) {
    return new DownstreamTls(PROVIDER, Optional.of(PROVIDER), required, names);
  }

  @Test
  @Conformance({"A29S-04", "A29S-08"})
  void aClientOfTheRootsIsServedAndHttp2Agreed() throws Exception {
    Handshake handshake = serve(REQUIRED, Optional.of(AUTHORITY.issue("uri:spiffe://mesh/a")));

    assertThat(handshake.ours().isSuccess()).isTrue();
    assertThat(handshake.theirs().isSuccess()).isTrue();
    assertThat(handshake.engine().getSession().getProtocol()).isEqualTo(version);
    assertThat(handshake.engine().getApplicationProtocol()).isEqualTo("h2");
    assertThat(handshake.engine().getSession().getPeerCertificates()).hasSize(1);
  }

  @Test
  @Conformance("A29S-04")
  void aClientIsRefusedWithTheReason() throws Exception {
    assertRefused(Optional.empty(), "");
    assertRefused(Optional.of(STRANGER.issue("dns:a")), "does not lead to a root");
    assertRefused(Optional.of(AUTHORITY.issueExpired("dns:a")), "has expired");
    assertRefused(Optional.of(AUTHORITY.issueForTomorrow("dns:a")), "is not valid before");
    assertRefused(
        Optional.of(
            AUTHORITY.issue(
                builder -> builder.addExtendedKeyUsage(ExtendedKeyUsage.PKIX_KP_SERVER_AUTH),
                "dns:a")),
        "is not for clients (extended key usage)");
  }

  private void assertRefused(Optional<TestIdentity> caller, String reason) throws Exception {
    Handshake handshake = serve(REQUIRED, caller);

    assertThat(handshake.ours().isSuccess()).isFalse();
    assertThat(TlsFailure.describe(handshake.ours().cause(), PeerRole.CLIENT)).contains(reason);
  }

  /** With TLS 1.2, BoringSSL and OpenSSL insist on the ticket that a server has announced. */
  @Test
  @Conformance("A29S-10")
  void aClientThatOffersToTakeTicketsIsServed() throws Exception {
    clients = SslProvider.OPENSSL;

    assertThat(serve(NOT_ASKED, Optional.empty()).theirs().isSuccess()).isTrue();
  }

  @Test
  @Conformance({"A29S-03", "A29S-05"})
  void aClientMayShowNoCertificateWhereNoneIsRequired() throws Exception {
    assertThat(serve(OPTIONAL, Optional.empty()).ours().isSuccess()).isTrue();
    assertThat(serve(OPTIONAL, Optional.of(AUTHORITY.issue("dns:a"))).ours().isSuccess()).isTrue();
    assertThat(serve(OPTIONAL, Optional.of(STRANGER.issue("dns:a"))).ours().isSuccess()).isFalse();
    assertThat(serve(NOT_ASKED, Optional.empty()).ours().isSuccess()).isTrue();
    assertThat(serve(NOT_ASKED, Optional.of(STRANGER.issue("dns:a"))).ours().isSuccess()).isTrue();
  }

  @Test
  @Conformance("A29S-07")
  void theNamesOfClientsAreMatched() throws Exception {
    var names = List.of(SanMatcher.ofAnyKind(new StringMatcher.Exact("spiffe://mesh/a", false)));
    TestIdentity named = AUTHORITY.issue("uri:spiffe://mesh/a");
    TestIdentity other = AUTHORITY.issue("uri:spiffe://mesh/b");

    assertThat(serve(tls(true, names), Optional.of(named)).ours().isSuccess()).isTrue();
    Handshake refused = serve(tls(true, names), Optional.of(other));
    assertThat(refused.ours().isSuccess()).isFalse();
    assertThat(TlsFailure.describe(refused.ours().cause(), PeerRole.CLIENT))
        .contains("SAN uri:spiffe://mesh/b not accepted");
  }

  @Test
  @Conformance("A29S-11")
  void theTrustDomainOfAClientSelectsTheRoots() throws Exception {
    var bundles =
        new Roots.SpiffeBundles(
            Map.of("mesh", List.of(AUTHORITY.root()), "far", List.of(STRANGER.root())));

    assertThat(isServed(bundles, AUTHORITY.issue("uri:spiffe://mesh/a"))).isTrue();
    assertThat(isServed(bundles, STRANGER.issue("uri:spiffe://far/a"))).isTrue();
    assertThat(isServed(bundles, STRANGER.issue("uri:spiffe://mesh/a"))).isFalse();
    assertThat(isServed(bundles, AUTHORITY.issue("dns:a"))).isFalse();
    assertThat(isServed(bundles, AUTHORITY.issue("uri:spiffe://mesh/a", "uri:spiffe://mesh/b")))
        .isFalse();
  }

  private boolean isServed(Roots roots, TestIdentity caller) throws Exception {
    return serve(AUTHORITY.issue("dns:b"), REQUIRED, roots, Optional.of(caller)).ours().isSuccess();
  }

  @Test
  void aServerSignsWithEachKindOfKeyThatItsLibraryIsChosenFor() throws Exception {
    for (Algorithm algorithm : List.of(Algorithm.rsa2048, Algorithm.ecp384, Algorithm.ecp256)) {
      TestIdentity identity = AUTHORITY.issue(builder -> builder.algorithm(algorithm), "dns:b");
      assertThat(serve(identity, NOT_ASKED, ROOTS, Optional.empty()).theirs().isSuccess())
          .as("%s", algorithm)
          .isTrue();
    }
  }

  /** The JDK does not parse such a certificate; OpenSSL issues it. */
  @Test
  @Conformance({"A29-06", "A118-01"})
  void aCertificateWithoutAnyNameIsMalformed() throws Exception {
    Handshake handshake = shake(AUTHORITY.issueWithoutNames());

    assertThat(TlsFailure.result(handshake.ours().cause()))
        .isEqualTo(HandshakeResult.CERTIFICATE_MALFORMED);
    assertThat(TlsFailure.describe(handshake.ours().cause(), PeerRole.SERVER))
        .contains("subject field is empty");
    assertThat(handshake.theirs().cause()).hasMessageContaining("fatal alert: bad_certificate");
  }

  private void assertAlert(TestIdentity identity, String alert, HandshakeResult result)
      throws Exception {
    Handshake handshake = shake(identity);
    close();

    assertThat(TlsFailure.result(handshake.ours().cause())).isEqualTo(result);
    String sent = library == TlsLibrary.JDK ? "certificate_unknown" : alert;
    assertThat(handshake.theirs().cause()).hasMessageContaining("fatal alert: " + sent);
  }
}
