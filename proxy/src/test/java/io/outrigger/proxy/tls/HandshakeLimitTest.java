package io.outrigger.proxy.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.config.tls.ProviderInstance;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.proxy.memory.MemoryLedger;
import io.outrigger.proxy.memory.MemoryView.Ended;
import io.outrigger.proxy.memory.MemoryView.Limits;
import io.outrigger.proxy.memory.PeerSide;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.certificate.Roots;
import io.outrigger.xds.certificate.TlsMaterial;
import io.outrigger.xds.tls.TlsLibrary;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Handshakes with servers that leave them half done, and what the ledger has of them. */
class HandshakeLimitTest {
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");
  private static final TestIdentity SERVER = AUTHORITY.issue("dns:a.example");
  private static final int MIB = 1 << 20;

  /** How long a channel waits for the part that is under way, to take leave by TLS. */
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(4);

  private static final int PART = 16 << 10;

  /** Begins with the record of a ServerHello, which the engine hands to a thread. */
  private static final byte[] SERVER_HELLO = {
    0x16, 0x03, 0x03, 0x00, 0x08, 0x02, 0x00, 0x00, 0x04, 0x03, 0x03, 1, 2
  };

  private final MemoryLedger ledger = new MemoryLedger(new Limits(8L * MIB, 8L * MIB, 12L * MIB));
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
    assertNothingIsHeld();
    clock.finishAndReleaseAll();
  }

  private void assertNothingIsHeld() {
    pass(CLOSE_LIMIT);
    assertThat(ledger.heapBytes()).isZero();
    assertThat(ledger.directBytes()).isZero();
  }

  /** By the JDK's engine, of which every part of a handshake is a task. */
  private static TlsContext context(Executor tasks) throws GeneralSecurityException {
    return context(TlsLibrary.JDK, tasks);
  }

  private static TlsContext context(TlsLibrary library, Executor tasks)
      throws GeneralSecurityException {
    var settings =
        new UpstreamTls(
            Optional.empty(), new TrustSource.Provider(new ProviderInstance("default")));
    var roots = new Roots.Authorities(List.of(AUTHORITY.root()));
    return TlsContext.of(
        library, new TlsMaterial(settings, Optional.empty(), roots), List.of(), tasks);
  }

  /** A connection whose ClientHello is said. */
  private EmbeddedChannel connect(TlsContext context) {
    var channel = new OnOneLoop();
    context.addTo(channel, Optional.empty(), ledger);
    channel
        .pipeline()
        .addLast(new TlsHandshake(Optional.empty(), new ChannelInboundHandlerAdapter(), listener));
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

  private TlsHandler handler() throws GeneralSecurityException {
    return context(parts::add).handler(Optional.empty(), ByteBufAllocator.DEFAULT);
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

  private void pass(Duration time) {
    clock.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
    clock.runScheduledPendingTasks();
    clock.runPendingTasks();
  }

  @Test
  void whatWaitsForAThreadIsCountedAsBuffersAndWhatWasTakenAsHeap() throws Exception {
    EmbeddedChannel channel = connect();
    assertThat(ledger.heapBytes()).isEqualTo(HandshakeLimit.BASE_BYTES);
    assertThat(ledger.directBytes()).isZero();

    send(channel, SERVER_HELLO);
    assertThat(ledger.heapBytes())
        .isEqualTo(
            HandshakeLimit.BASE_BYTES + (long) HandshakeLimit.HEAP_FACTOR * SERVER_HELLO.length);
    assertThat(ledger.directBytes()).isZero();

    send(channel, new byte[100]);
    assertThat(ledger.directBytes()).isEqualTo(2 << 10);
    send(channel, new byte[PART]);
    assertThat(ledger.directBytes()).isEqualTo(2 * PART); // a buffer grows by doubling

    var unused = channel.close();
    assertNothingIsHeld();
  }

  static List<TlsLibrary> libraries() {
    return List.of(TlsLibrary.BORINGSSL, TlsLibrary.JDK);
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void aHandshakeThatSucceedsLeavesItsCountToTheConnection(TlsLibrary library) throws Exception {
    SslContext context =
        SslContextBuilder.forServer(SERVER.key(), SERVER.chain())
            .sslProvider(SslProvider.JDK)
            .applicationProtocolConfig(
                new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN,
                    ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                    ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                    "h2"))
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
    assertNothingIsHeld();
    server.finishAndReleaseAll();
  }

  @Test
  void aHandshakeThatFailsGivesBack() throws Exception {
    send(connect(), "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

    assertThat(told).containsExactly("TLS handshake failed: the server answered in plain text");
    assertNothingIsHeld();
  }

  @Test
  void aHandshakeHasALimitInBytes() throws Exception {
    EmbeddedChannel channel = connect();
    send(channel, SERVER_HELLO);
    for (int i = SERVER_HELLO.length; i + PART <= HandshakeLimit.MAX_BYTES; i += PART) {
      send(channel, new byte[PART]);
    }
    assertThat(told).isEmpty();
    assertThat(ledger.directBytes()).isEqualTo(HandshakeLimit.MAX_BYTES);

    send(channel, new byte[PART]);
    ByteBuf late = Unpooled.wrappedBuffer(new byte[1]);
    channel.pipeline().fireChannelRead(late); // was under way

    assertThat(late.refCnt()).isZero();
    assertThat(told)
        .containsExactly(
            "TLS handshake failed: the server has sent more than 256 KiB before its end");
    assertThat(channel.isOpen()).isFalse();
    assertNothingIsHeld();
  }

  /** A hundred of 256 KiB would hold 25 MiB. */
  @Test
  void manyThatSendMuchAreBoundedTogether() throws Exception {
    TlsContext context = context(parts::add);
    for (int i = 0; i < 100; i++) {
      send(connect(context), SERVER_HELLO);
    }
    long most = 0;
    for (int round = 0; round < 15; round++) {
      for (EmbeddedChannel each : channels) {
        send(each, new byte[PART]);
        most = Math.max(most, ledger.directBytes());
      }
      pass(Duration.ofMillis(100));
    }

    assertThat(most).isBetween(6L * MIB, 8L * MIB);
    assertThat(ledger.directBytes()).isBetween(4L * MIB, 8L * MIB * 85 / 100);
    assertThat(told)
        .isNotEmpty()
        .containsOnly(
            "TLS handshake failed: memory is short, and no call uses this connection yet");
    assertThat(ledger.ended(PeerSide.BACKEND, Ended.CONNECTION)).isEqualTo(told.size());
    assertThat(channels.stream().filter(EmbeddedChannel::isOpen).count())
        .isEqualTo(100 - told.size());

    channels.forEach(EmbeddedChannel::close);
    assertNothingIsHeld();
  }

  /** None of them holds much. */
  @Test
  void manyThatSendNothingAreBoundedTogether() throws Exception {
    TlsContext context = context(parts::add);
    long most = 0;
    for (int i = 0; i < 1_000; i++) {
      connect(context);
      most = Math.max(most, ledger.heapBytes());
      if (i % 50 == 0) {
        clock.runPendingTasks();
      }
    }
    clock.runPendingTasks();

    assertThat(most).isBetween(6L * MIB, 8L * MIB);
    assertThat(ledger.heapBytes()).isBetween(4L * MIB, 8L * MIB * 85 / 100);
    assertThat(told).hasSizeGreaterThan(400);

    channels.forEach(EmbeddedChannel::close);
    assertNothingIsHeld();
  }

  @Test
  void whereNothingIsLeftNoneBegins() throws Exception {
    connect();
    ledger.alsoHeld(() -> 9L * MIB);
    pass(Duration.ofSeconds(1));

    List<String> begun = new ArrayList<>();
    var late = new OnOneLoop();
    late.pipeline()
        .addLast(
            new HandshakeLimit(handler(), ledger),
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelActive(ChannelHandlerContext ctx) {
                begun.add("the handshake");
              }
            },
            new TlsHandshake(Optional.empty(), new ChannelInboundHandlerAdapter(), listener));
    late.register();
    channels.add(late);

    assertThat(late.isOpen()).isFalse();
    assertThat(begun).isEmpty();
    assertThat(told).hasSize(1);
    ledger.alsoHeld(() -> 0);
  }

  /** A part that a thread has done is taken without another byte of the server. */
  @Test
  void whatIsHeldIsBroughtUpToDateWithEachTick() throws Exception {
    TlsHandler tls = handler();
    var elsewhere = new EmbeddedChannel(tls);
    channels.add(elsewhere);
    send(elsewhere, Arrays.copyOf(SERVER_HELLO, 10));
    var channel = new OnOneLoop();
    channel.pipeline().addLast(new HandshakeLimit(tls, ledger));
    channel.register();
    channels.add(channel);
    send(channel, SERVER_HELLO);
    assertThat(ledger.heapBytes())
        .isEqualTo(HandshakeLimit.BASE_BYTES + 3L * HandshakeLimit.HEAP_FACTOR);
    assertThat(ledger.directBytes()).isPositive();

    send(elsewhere, Arrays.copyOfRange(SERVER_HELLO, 10, SERVER_HELLO.length));
    pass(Duration.ofSeconds(1));

    assertThat(ledger.heapBytes())
        .isEqualTo(
            HandshakeLimit.BASE_BYTES + (long) HandshakeLimit.HEAP_FACTOR * SERVER_HELLO.length);
    assertThat(ledger.directBytes()).isZero();
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void itKnowsWhatWasOffered(TlsLibrary library) throws Exception {
    assertThat(new HandshakeLimit(handler(), ledger).groups()).isEmpty();

    EmbeddedChannel channel = connect(context(library, parts::add));

    List<String> offered = channel.pipeline().get(HandshakeLimit.class).groups();
    assertThat(offered).contains("x25519", "secp256r1", "secp384r1", "secp521r1");
    if (channel.pipeline().get(TlsHandler.class).isNative()) {
      assertThat(offered).startsWith("X25519MLKEM768");
    }
  }
}
