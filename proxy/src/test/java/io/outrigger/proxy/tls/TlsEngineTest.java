package io.outrigger.proxy.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.outrigger.config.tls.ProviderInstance;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.certificate.Roots;
import io.outrigger.xds.certificate.TlsMaterial;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The engines of connections, with a server's engine at the other end. */
class TlsEngineTest {
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");
  private static final TestIdentity SERVER = AUTHORITY.issue("dns:a.example");
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private GuardedEngine client;
  private SSLEngine server;
  private final ByteBuffer toClient = ByteBuffer.allocate(1 << 17);
  private final ByteBuffer toServer = ByteBuffer.allocate(1 << 17);

  @BeforeEach
  void handshake() throws SSLException, GeneralSecurityException {
    var settings =
        new UpstreamTls(
            Optional.empty(), new TrustSource.Provider(new ProviderInstance("default")));
    var roots = new Roots.Authorities(List.of(AUTHORITY.root()));
    client =
        TlsContext.of(new TlsMaterial(settings, Optional.empty(), roots), List.of(), Runnable::run)
            .engine(Optional.empty());
    server =
        SslContextBuilder.forServer(SERVER.key(), SERVER.chain())
            .sslProvider(SslProvider.JDK)
            .build()
            .newEngine(ByteBufAllocator.DEFAULT);
    assertThat(client.groups()).isEmpty();
    step(client, toClient, toServer);
    List<String> offered = client.groups();
    for (int i = 0; i < 50; i++) {
      step(client, toClient, toServer);
      step(server, toServer, toClient);
    }
    assertThat(offered).contains("x25519", "secp256r1");
    assertThat(client.groups()).as("once the handshake is over").isEmpty();
    assertThat(client.getSession().getProtocol()).isEqualTo("TLSv1.3");
    assertThat(client.getHandshakeStatus()).isEqualTo(HandshakeStatus.NOT_HANDSHAKING);
  }

  private static void step(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws SSLException {
    take(engine, in);
    for (Runnable task = engine.getDelegatedTask(); task != null; ) {
      task.run();
      task = engine.getDelegatedTask();
    }
    if (engine.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING) {
      engine.wrap(NOTHING, out);
    }
  }

  /** Reads one record where one is there. */
  private static SSLEngineResult take(SSLEngine engine, ByteBuffer in) throws SSLException {
    in.flip();
    try {
      return engine.unwrap(in, ByteBuffer.allocate(1 << 15));
    } finally {
      in.compact();
    }
  }

  private void keyUpdate() throws SSLException {
    server.beginHandshake();
    server.wrap(NOTHING, toClient);
    take(client, toClient);
    while (client.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
      client.wrap(NOTHING, toServer);
    }
    while (toServer.position() > 0) {
      take(server, toServer);
    }
  }

  private void data() throws SSLException {
    server.wrap(ByteBuffer.wrap(new byte[] {1}), toClient);
    assertThat(take(client, toClient).bytesProduced()).isEqualTo(1);
  }

  @Test
  void ticketsAreDropped() {
    assertThat(Collections.list(client.getSession().getSessionContext().getIds()))
        .containsExactly(client.getSession().getId());
  }

  @Test
  void keysMayBeUpdatedNowAndThenForEver() throws SSLException {
    for (int i = 0; i < 4 * GuardedEngine.MAX_SPARE; i++) {
      keyUpdate();
      for (int j = 0; j < GuardedEngine.DATA_RECORDS; j++) {
        data();
      }
    }
  }

  @Test
  void keysThatAreUpdatedForNothingEndTheConnection() throws SSLException {
    data();
    for (int i = 0; i < GuardedEngine.MAX_SPARE - 4; i++) { // the ticket is such a record too
      keyUpdate();
    }
    data();

    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 5; i++) {
                keyUpdate();
              }
            })
        .isInstanceOf(SSLException.class)
        .hasMessage("the server sends too many TLS records without data");
  }
}
