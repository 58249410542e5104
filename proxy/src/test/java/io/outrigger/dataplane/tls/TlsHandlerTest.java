package io.outrigger.dataplane.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCounted;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.identity.certificate.Roots;
import io.outrigger.identity.certificate.TlsMaterial;
import io.outrigger.identity.tls.TlsLibrary;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections of TLS, with a server's engine at the other end. */
@ParameterizedClass
@EnumSource
class TlsHandlerTest {
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");
  private static final TestIdentity SERVER = AUTHORITY.issue("dns:a.example");
  private static final TrustSource ROOTS = new TrustSource.Provider("default");
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final String TOO_MANY = "the server sends too many TLS records without data";

  private final TlsLibrary library;
  private TlsHandler tls;
  private EmbeddedChannel client;
  private SSLEngine server;
  private final ByteBuffer toClient = ByteBuffer.allocate(1 << 17);
  private final ByteBuffer toServer = ByteBuffer.allocate(1 << 17);
  private final List<Throwable> failures = new ArrayList<>();

  /** Bytes of data that have come. */
  private int received;

  TlsHandlerTest(TlsLibrary library) {
    this.library = library;
  }

  private void begin(UpstreamTls settings, Optional<String> serverName)
      throws SSLException, GeneralSecurityException {
    var roots = new Roots.Authorities(List.of(AUTHORITY.root()));
    tls =
        new TlsContext(
                library,
                new TlsMaterial(settings, Optional.empty(), roots),
                List.of(),
                Runnable::run)
            .handler(serverName, ByteBufAllocator.DEFAULT);
    client = new EmbeddedChannel(tls, tls.recordObserver(), new End());
    server =
        SslContextBuilder.forServer(SERVER.key(), SERVER.chain())
            .sslProvider(SslProvider.JDK)
            .build()
            .newEngine(ByteBufAllocator.DEFAULT);
  }

  private void beginAnew(UpstreamTls settings, Optional<String> serverName)
      throws SSLException, GeneralSecurityException {
    release();
    toClient.clear();
    toServer.clear();
    failures.clear();
    begin(settings, serverName);
  }

  /** What a connection's own handler would see. */
  private final class End extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      received += bytes.readableBytes();
      bytes.release();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      failures.add(cause);
    }
  }

  @AfterEach
  void release() {
    client.finishAndReleaseAll();
  }

  @BeforeEach
  void handshake() throws SSLException, GeneralSecurityException {
    begin(new UpstreamTls(Optional.empty(), ROOTS, List.of(), "", false, false), Optional.empty());
    shakeHands();
    assertThat(failures).isEmpty();
    assertThat(tls.handshakeFuture().isSuccess()).isTrue();
    assertThat(tls.engine().getSession().getProtocol()).isEqualTo("TLSv1.3");
    assertThat(tls.engine() instanceof ReferenceCounted).isEqualTo(library == TlsLibrary.BORINGSSL);
  }

  private void shakeHands() throws SSLException {
    for (int i = 0; i < 50; i++) {
      deliver();
      take();
      for (Runnable task = server.getDelegatedTask(); task != null; ) {
        task.run();
        task = server.getDelegatedTask();
      }
      if (server.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING) {
        server.wrap(NOTHING, toClient);
      }
    }
  }

  /** All at once, whatever the server has said. */
  private void deliver() {
    if (toClient.position() > 0) {
      toClient.flip();
      client.writeInbound(Unpooled.copiedBuffer(toClient));
      toClient.clear();
    }
    for (ByteBuf out = client.readOutbound(); out != null; out = client.readOutbound()) {
      toServer.put(out.nioBuffer());
      out.release();
    }
  }

  /** The server reads one record, where one is there. */
  private void take() throws SSLException {
    toServer.flip();
    try {
      server.unwrap(toServer, ByteBuffer.allocate(1 << 15));
    } finally {
      toServer.compact();
    }
  }

  private void keyUpdate() throws SSLException {
    server.beginHandshake();
    server.wrap(NOTHING, toClient);
  }

  private void keyUpdateThatIsAnswered() throws SSLException {
    keyUpdate();
    deliver();
    while (toServer.position() > 0) {
      take();
    }
  }

  private void data() throws SSLException {
    server.wrap(ByteBuffer.wrap(new byte[] {1}), toClient);
  }

  @Test
  void ticketsAreDropped() {
    assertThat(Collections.list(tls.engine().getSession().getSessionContext().getIds()))
        .as("but what the JDK has of the handshake itself")
        .hasSize(library == TlsLibrary.JDK ? 1 : 0);
  }

  @Test
  void keysMayBeUpdatedNowAndThenForEver() throws SSLException {
    int sent = 0;
    for (int i = 0; i < 4 * TlsHandler.MAX_BUDGET; i++) {
      keyUpdateThatIsAnswered();
      for (int j = 0; j < TlsHandler.DATA_RECORDS; j++, sent++) {
        data();
      }
      deliver();
    }
    assertThat(failures).isEmpty();
    assertThat(received).isEqualTo(sent);
  }

  @Test
  void closeNotifyEndsTheConnectionAlthoughTheSocketStaysOpen() throws SSLException {
    data();
    server.closeOutbound();
    server.wrap(NOTHING, toClient);

    deliver();

    assertThat(received).isEqualTo(1);
    assertThat(failures).isEmpty();
    assertThat(client.isOpen()).isFalse();
  }

  @Test
  void keysThatAreUpdatedForNothingEndTheConnection() throws SSLException {
    data();
    deliver();
    for (int i = 0; i < TlsHandler.MAX_BUDGET - 1; i++) { // the ticket is such a record too
      keyUpdateThatIsAnswered();
    }
    data();
    deliver();
    assertThat(failures).isEmpty();
    assertThat(client.isOpen()).isTrue();

    keyUpdate();
    deliver();
    assertThat(failures).singleElement().isInstanceOf(SSLException.class);
    assertThat(failures.get(0)).hasMessage(TOO_MANY);
    assertThat(client.isOpen()).isFalse();
  }

  /** The bound is of records, however many of them one read brings. */
  @Test
  void whatComesInTheSameReadBehindOneTooManyIsDropped() throws SSLException {
    data();
    for (int i = 0; i < TlsHandler.MAX_BUDGET + 10; i++) {
      data();
      server.beginHandshake();
      server.wrap(NOTHING, toClient);
    }
    deliver();

    assertThat(failures).singleElement().extracting(Throwable::getMessage).isEqualTo(TOO_MANY);
    assertThat(received).isEqualTo(1 + TlsHandler.MAX_BUDGET);
    assertThat(client.isOpen()).isFalse();
  }

  @Test
  void aRecordThatComesInPartsIsOne() throws SSLException {
    for (int i = 0; i < 2 * TlsHandler.MAX_BUDGET; i++) {
      data();
      toClient.flip();
      while (toClient.hasRemaining()) {
        client.writeInbound(Unpooled.wrappedBuffer(new byte[] {toClient.get()}));
      }
      toClient.clear();
      assertThat(received).isEqualTo(i + 1);
    }
    assertThat(failures).isEmpty();
  }

  @Conformance("A29-08")
  @ParameterizedTest
  @ValueSource(strings = {"outbound_.80_._.pay.default.svc", "pay", "pay.default.svc"})
  void aServerNameIsSentAsItIsGiven(String name) throws Exception {
    beginAnew(
        new UpstreamTls(Optional.empty(), ROOTS, List.of(), "", false, false), Optional.of(name));

    deliver();

    assertThat(new String(toServer.array(), 0, toServer.position(), StandardCharsets.ISO_8859_1))
        .contains(name);
  }

  @Conformance("A101-01")
  @Test
  void theNameThatWasAskedForIsToBeAmongTheServers() throws Exception {
    var settings = new UpstreamTls(Optional.empty(), ROOTS, List.of(), "", false, true);
    beginAnew(settings, Optional.of("a.example"));
    shakeHands();
    assertThat(tls.handshakeFuture().isSuccess()).isTrue();

    beginAnew(settings, Optional.of("b.example"));
    try {
      shakeHands();
    } catch (SSLException e) {
      // the server has heard the alert
    }
    assertThat(failures.get(0))
        .rootCause()
        .hasMessage(
            "SAN dns:a.example not accepted; wanted: dns \"b.example\", the requested server name");
  }
}
