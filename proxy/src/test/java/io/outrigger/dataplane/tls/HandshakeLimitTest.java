package io.outrigger.dataplane.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCounted;
import io.outrigger.config.tls.DownstreamTls;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.identity.certificate.Identity;
import io.outrigger.identity.certificate.PeerRole;
import io.outrigger.identity.certificate.Roots;
import io.outrigger.identity.certificate.TlsMaterial;
import io.outrigger.identity.tls.TlsLibrary;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.security.GeneralSecurityException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Handshakes with servers that leave them half done, or send too much. */
class HandshakeLimitTest {
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");
  private static final TestIdentity SERVER = AUTHORITY.issue("dns:a.example");

  private static final ApplicationProtocolConfig H2 =
      new ApplicationProtocolConfig(
          ApplicationProtocolConfig.Protocol.ALPN,
          ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
          ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
          "h2");

  private static final int PART = 16 << 10;

  /** Begins with the record of a ServerHello, which the engine hands to a thread. */
  private static final byte[] SERVER_HELLO = {
    0x16, 0x03, 0x03, 0x00, 0x08, 0x02, 0x00, 0x00, 0x04, 0x03, 0x03, 1, 2
  };

  private final List<String> told = new ArrayList<>();
  private final EmbeddedChannel clock = new EmbeddedChannel();
  private final List<EmbeddedChannel> channels = new ArrayList<>();

  /** Parts of handshakes that wait for a thread. */
  private final Deque<Runnable> parts = new ArrayDeque<>();

  private final TlsHandshake.Listener listener =
      new TlsHandshake.Listener() {
        @Override
        public void onHandshaken(TlsPeer peer) {
          told.add("done");
        }

        @Override
        public void onFailed(HandshakeResult result, String reason) {
          told.add(reason);
        }
      };

  @AfterEach
  void close() {
    channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    clock.finishAndReleaseAll();
  }

  @Test
  @Conformance("A29S-12")
  void aClientMaySendLittleInItsHandshake() {
    var channel = new EmbeddedChannel(new HandshakeLimit(PeerRole.CLIENT));
    channels.add(channel);
    byte[] part = new byte[PART];
    part[0] = 22;
    for (int i = 0; i < 4; i++) {
      send(channel, part);
    }
    assertThat(channel.isOpen()).isTrue();

    assertThatThrownBy(() -> send(channel, (byte) 1))
        .hasMessage("the client has sent more than 64 KiB before its end");

    assertThat(channel.isOpen()).isFalse();
  }

  /** By the JDK's engine, of which every part of a handshake is a task. */
  private static TlsContext context(Executor tasks) throws GeneralSecurityException {
    return context(TlsLibrary.JDK, tasks);
  }

  private static TlsContext context(TlsLibrary library, Executor tasks)
      throws GeneralSecurityException {
    var settings =
        new UpstreamTls(
            Optional.empty(), new TrustSource.Provider("default"), List.of(), "", false, false);
    var roots = new Roots.Authorities(List.of(AUTHORITY.root()));
    return new TlsContext(
        library, new TlsMaterial(settings, Optional.empty(), roots), List.of(), tasks);
  }

  /** A connection whose ClientHello is said. */
  private EmbeddedChannel connect(TlsContext context) {
    return register(context, ChannelInboundHandlerAdapter::new);
  }

  private EmbeddedChannel register(TlsContext context, Supplier<ChannelHandler> connection) {
    var channel = new OnOneLoop();
    context.addTo(channel, Optional.empty());
    channel.pipeline().addLast(new TlsHandshake(Optional.empty(), connection, listener));
    try {
      channel.register();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    channels.add(channel);
    return channel;
  }

  private EmbeddedChannel connect() throws GeneralSecurityException {
    return connect(context(parts::add));
  }

  private static void send(EmbeddedChannel to, byte... bytes) {
    if (to.isOpen()) {
      to.writeInbound(Unpooled.copiedBuffer(bytes));
    }
  }

  /** Of many channels, whose tasks run with those of {@link #clock}. */
  private final class OnOneLoop extends EmbeddedChannel {
    OnOneLoop() {
      super(false, false);
    }

    @Override
    public EventLoop eventLoop() {
      return clock.eventLoop();
    }
  }

  static List<TlsLibrary> libraries() {
    return List.of(TlsLibrary.BORINGSSL, TlsLibrary.JDK);
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void aHandshakeThatSucceedsGoesOn(TlsLibrary library) throws Exception {
    SslContext context =
        SslContextBuilder.forServer(SERVER.key(), SERVER.chain())
            .sslProvider(SslProvider.JDK)
            .applicationProtocolConfig(H2)
            .build();
    EmbeddedChannel client = connect(context(library, Runnable::run));
    var server = new EmbeddedChannel();
    server.pipeline().addLast(context.newHandler(server.alloc()));

    for (int i = 0; i < 10; i++) {
      for (ByteBuf out = client.readOutbound(); out != null; out = client.readOutbound()) {
        server.writeInbound(out);
      }
      for (ByteBuf out = server.readOutbound(); out != null; out = server.readOutbound()) {
        client.writeInbound(out);
      }
      clock.runPendingTasks();
    }

    assertThat(told).containsExactly("done");
    assertThat(client.isOpen()).isTrue();
    server.finishAndReleaseAll();
  }

  @Test
  void aHandshakeHasALimitInBytes() throws Exception {
    EmbeddedChannel channel = connect();
    send(channel, SERVER_HELLO);
    for (int i = SERVER_HELLO.length; i + PART <= HandshakeLimit.MAX_BYTES; i += PART) {
      send(channel, new byte[PART]);
    }
    assertThat(told).isEmpty();

    send(channel, new byte[PART]);
    ByteBuf late = Unpooled.wrappedBuffer(new byte[1]);
    channel.pipeline().fireChannelRead(late); // was under way

    assertThat(late.refCnt()).isZero();
    assertThat(told)
        .containsExactly(
            "TLS handshake failed: the server has sent more than 256 KiB before its end");
    assertThat(channel.isOpen()).isFalse();
  }

  /** Envoy, for one, does not wait for a server's SETTINGS. */
  @ParameterizedTest
  @MethodSource("libraries")
  @Conformance("A29S-12")
  void aClientMaySendDataWhileItsCertificateIsVerified(TlsLibrary library) throws Exception {
    EmbeddedChannel server = accept(library, ChannelInboundHandlerAdapter::new);
    EmbeddedChannel client = shakeHands(server);
    client.writeOutbound(Unpooled.wrappedBuffer(new byte[3 * PART]));
    client.writeOutbound(Unpooled.wrappedBuffer(new byte[3 * PART]));

    pass(client, server);

    assertThat(server.isOpen()).isTrue();
    assertThat(told).isEmpty();
    assertThat(server.config().isAutoRead()).isFalse();
    runParts();
    assertThat(told).containsExactly("done");
    assertThat(server.config().isAutoRead()).isTrue();
    int bytes = 0;
    for (ByteBuf in = server.readInbound(); in != null; in = server.readInbound()) {
      bytes += in.readableBytes();
      in.release();
    }
    assertThat(bytes).isEqualTo(6 * PART);
    client.finishAndReleaseAll();
  }

  @Test
  void aClosedChannelIsNotReadAfterAPause() throws Exception {
    EmbeddedChannel server = accept(TlsLibrary.JDK, ChannelInboundHandlerAdapter::new);
    EmbeddedChannel client = shakeHands(server);
    client.writeOutbound(Unpooled.wrappedBuffer(new byte[3 * PART]));
    client.writeOutbound(Unpooled.wrappedBuffer(new byte[3 * PART]));
    pass(client, server);

    server.pipeline().context(HandshakeLimit.class).close(); // the TLS handler would wait
    clock.runPendingTasks();

    assertThat(server.pipeline().get(HandshakeLimit.class)).isNull();
    assertThat(server.config().isAutoRead()).isFalse();
    client.finishAndReleaseAll();
  }

  @Test
  @Conformance("A29S-12")
  void aChannelWithoutItsConnectionIsClosed() throws Exception {
    EmbeddedChannel server =
        accept(
            TlsLibrary.JDK,
            () -> {
              throw new IllegalStateException("no memory");
            });
    EmbeddedChannel client = shakeHands(server);

    runParts();

    assertThat(told).containsExactly("done");
    assertThat(server.isOpen()).isFalse();
    client.finishAndReleaseAll();
  }

  /** A server's side, which verifies a certificate of the client by {@link #parts}. */
  private EmbeddedChannel accept(TlsLibrary library, Supplier<ChannelHandler> connection)
      throws GeneralSecurityException {
    var settings = new DownstreamTls("default", Optional.of("default"), true, List.of());
    var roots = new Roots.Authorities(List.of(AUTHORITY.root()));
    var own = Optional.of(new Identity(SERVER.chain(), SERVER.key()));
    var context =
        new TlsContext(library, new TlsMaterial(settings, own, roots), List.of(), parts::add);
    return register(context, connection);
  }

  /** Goes on until only the verification of the client's certificate is left to do. */
  private EmbeddedChannel shakeHands(EmbeddedChannel server) throws Exception {
    SslContext context =
        SslContextBuilder.forClient()
            .keyManager(SERVER.key(), SERVER.chain())
            .trustManager(AUTHORITY.root())
            .endpointIdentificationAlgorithm(null)
            .sslProvider(SslProvider.JDK)
            .protocols("TLSv1.3")
            .applicationProtocolConfig(H2)
            .build();
    var client = new EmbeddedChannel();
    var handler = context.newHandler(client.alloc());
    client.pipeline().addLast(handler);
    while (!handler.handshakeFuture().isDone()) {
      pass(client, server);
      runParts();
      pass(server, client);
      client.runPendingTasks();
    }
    assertThat(handler.handshakeFuture().isSuccess()).isTrue();
    pass(client, server);
    return client;
  }

  private static void pass(EmbeddedChannel from, EmbeddedChannel to) {
    for (ByteBuf out = from.readOutbound(); out != null; out = from.readOutbound()) {
      to.writeInbound(out);
    }
  }

  private void runParts() {
    do {
      while (!parts.isEmpty()) {
        parts.remove().run();
      }
      clock.runPendingTasks();
    } while (!parts.isEmpty());
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void itKnowsWhatWasOffered(TlsLibrary library) throws Exception {
    assertThat(new HandshakeLimit(PeerRole.SERVER).groups()).isEmpty();

    EmbeddedChannel channel = connect(context(library, parts::add));

    List<String> offered = channel.pipeline().get(HandshakeLimit.class).groups();
    assertThat(offered).contains("x25519", "secp256r1", "secp384r1", "secp521r1");
    if (channel.pipeline().get(TlsHandler.class).engine() instanceof ReferenceCounted) {
      assertThat(offered).startsWith("X25519MLKEM768");
    }
  }
}
