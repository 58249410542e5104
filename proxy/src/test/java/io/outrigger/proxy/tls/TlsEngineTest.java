package io.outrigger.proxy.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.outrigger.config.tls.ProviderInstance;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.certificate.Roots;
import io.outrigger.xds.certificate.TlsMaterial;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The engines of connections, with a server's engine at the other end. */
@ParameterizedClass
@EnumSource
class TlsEngineTest {
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");
  private static final TestIdentity SERVER = AUTHORITY.issue("dns:a.example");
  private static final TrustSource ROOTS =
      new TrustSource.Provider(new ProviderInstance("default"));
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private enum Library {
    BORING_SSL,
    JDK;

    TlsContext.Library engines() {
      return this == JDK ? JdkEngines::of : BoringSslEngines::of;
    }
  }

  private final Library library;
  private GuardedEngine client;
  private SSLEngine server;
  private final ByteBuffer toClient = ByteBuffer.allocate(1 << 17);
  private final ByteBuffer toServer = ByteBuffer.allocate(1 << 17);

  TlsEngineTest(Library library) {
    this.library = library;
  }

  private void begin(UpstreamTls settings, Optional<String> serverName)
      throws SSLException, GeneralSecurityException {
    var roots = new Roots.Authorities(List.of(AUTHORITY.root()));
    client =
        TlsContext.of(
                library.engines(),
                new TlsMaterial(settings, Optional.empty(), roots),
                List.of(),
                Runnable::run)
            .engine(serverName, ByteBufAllocator.DEFAULT);
    server =
        SslContextBuilder.forServer(SERVER.key(), SERVER.chain())
            .sslProvider(SslProvider.JDK)
            .build()
            .newEngine(ByteBufAllocator.DEFAULT);
  }

  private void shakeHands() throws SSLException {
    for (int i = 0; i < 50; i++) {
      step(client, toClient, toServer);
      step(server, toServer, toClient);
    }
  }

  @AfterEach
  void release() {
    client.release();
  }

  @BeforeEach
  void handshake() throws SSLException, GeneralSecurityException {
    begin(new UpstreamTls(Optional.empty(), ROOTS), Optional.empty());
    assertThat(client.groups()).isEmpty();
    step(client, toClient, toServer);
    List<String> offered = client.groups();
    shakeHands();
    assertThat(offered).contains("x25519", "secp256r1", "secp384r1", "secp521r1");
    if (library == Library.BORING_SSL) {
      assertThat(offered).startsWith("X25519MLKEM768");
    }
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
        .as("but what the JDK has of the handshake itself")
        .hasSize(library == Library.JDK ? 1 : 0);
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

  @Conformance("A29-08")
  @ParameterizedTest
  @ValueSource(strings = {"outbound_.80_._.pay.default.svc", "pay", "pay.default.svc"})
  void aServerNameIsSentAsItIsGiven(String name) throws Exception {
    client.release();
    begin(new UpstreamTls(Optional.empty(), ROOTS), Optional.of(name));

    ByteBuffer hello = ByteBuffer.allocate(1 << 15);
    client.wrap(NOTHING, hello);

    assertThat(new String(hello.array(), 0, hello.position(), StandardCharsets.ISO_8859_1))
        .contains(name);
  }

  @Conformance("A101-01")
  @Test
  void theNameThatWasAskedForIsToBeAmongTheServers() throws Exception {
    var settings = new UpstreamTls(Optional.empty(), ROOTS, List.of(), "", false, true);
    client.release();
    begin(settings, Optional.of("a.example"));
    shakeHands();
    assertThat(client.getHandshakeStatus()).isEqualTo(HandshakeStatus.NOT_HANDSHAKING);
    client.release();
    toClient.clear();
    toServer.clear();

    begin(settings, Optional.of("b.example"));
    assertThatThrownBy(this::shakeHands)
        .rootCause()
        .hasMessage(
            "SAN dns:a.example not accepted; wanted: dns \"b.example\", the server name that"
                + " was asked for");
  }
}
