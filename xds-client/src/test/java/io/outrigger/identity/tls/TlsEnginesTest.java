package io.outrigger.identity.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.concurrent.Future;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.identity.certificate.Roots;
import io.outrigger.identity.certificate.PeerVerifier;
import io.outrigger.identity.certificate.TlsMaterial;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.util.List;
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

  private final TlsLibrary library;
  private final String version;
  private EmbeddedChannel client;
  private EmbeddedChannel server;

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

  private void assertAlert(TestIdentity identity, String alert, HandshakeResult result)
      throws Exception {
    Handshake handshake = shake(identity);
    close();

    assertThat(TlsFailure.result(handshake.ours().cause())).isEqualTo(result);
    String sent = library == TlsLibrary.JDK ? "certificate_unknown" : alert; // it sends no other
    assertThat(handshake.theirs().cause()).hasMessageContaining("fatal alert: " + sent);
  }
}
