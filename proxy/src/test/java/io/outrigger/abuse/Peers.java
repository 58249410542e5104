package io.outrigger.abuse;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.outrigger.base.WaitingClock;
import io.outrigger.http2.EventLoops;
import io.outrigger.http2.testing.Frames;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connections of those who attack, all on one event loop. Each batch of connections comes from
 * a loopback address of its own, so that ports of closed ones are not missed.
 */
final class Peers implements AutoCloseable {
  /** Without leak detection: there are millions of them, and none is ours to lose. */
  static final ByteBufAllocator BUFFERS = new UnpooledByteBufAllocator(true, true);

  private static final byte[] SILENCE = {};
  private static final int READ_BYTES = 16 << 10;

  /** What a socket that is not read takes beside. */
  private static final int SMALL_SOCKET_BUFFER = 4096;

  private static final int CONNECTING_AT_ONCE = 256;

  /** Fewer than may be in progress on one event loop of the sidecar. */
  private static final int SHAKING_AT_ONCE = 128;

  private static final int CONNECT_TIMEOUT_MILLIS = 10_000;
  private static final Duration GREETING = Duration.ofSeconds(5);

  /** Not from the same addresses as the program before: its ports are not free for a minute. */
  private static final AtomicInteger SOURCES =
      new AtomicInteger((int) (ProcessHandle.current().pid() * 100 % 60_000));

  private final EventLoops loops = EventLoops.start(EventLoops.TransportKind.AUTO, 1);
  private final Queue<Peer> open = new ConcurrentLinkedQueue<>();

  /** The TLS context for each address that is connected to over TLS. */
  private final Map<InetSocketAddress, SslContext> secured = new ConcurrentHashMap<>();

  /** Later connections to {@code address} use TLS, unless an attack has it otherwise. */
  void secure(InetSocketAddress address, SslContext tls) {
    secured.put(address, tls);
  }

  /** A connection that has sent its preface and SETTINGS. */
  Peer app(InetSocketAddress address, int... settings) {
    return apps(address, 1, settings).get(0);
  }

  /** As many of {@code count} as could connect; SETTINGS are exchanged where they came in time. */
  List<Peer> apps(InetSocketAddress address, int count, int... settings) {
    byte[] hello =
        Frames.join(Frames.PREFACE, Frames.settings(settings), Frames.windowUpdate(0, 1 << 30));
    List<Peer> peers = connect(address, count, hello, secured.get(address));
    long began = WaitingClock.nanoTime();
    while (!peers.stream().allMatch(Peer::isGreeted)
        && WaitingClock.nanoTime() - began < GREETING.toNanos()) {
      WaitingClock.sleep(Duration.ofMillis(5));
    }
    return peers;
  }

  /** The same with the smallest window of a connection, and without waiting for SETTINGS. */
  List<Peer> narrow(InetSocketAddress address, int count) {
    byte[] hello = Frames.join(Frames.PREFACE, Frames.settings());
    return connect(address, count, hello, secured.get(address));
  }

  /** Connections that have said nothing and whose answers are counted and dropped. */
  List<Peer> silent(InetSocketAddress address, int count) {
    return connect(address, count, SILENCE, secured.get(address));
  }

  /** The same without TLS, whatever the port expects. */
  List<Peer> raw(InetSocketAddress address, int count) {
    return connect(address, count, SILENCE, null);
  }

  /** Connections whose TLS handshake by {@code tls} has ended, one way or the other. */
  List<Peer> shaking(InetSocketAddress address, int count, SslContext tls) {
    return connect(address, count, SILENCE, tls);
  }

  /**
   * @param hello sent as soon as a connection can be used: thousands of handshakes take longer than
   *     a connection may be silent
   */
  private List<Peer> connect(
      InetSocketAddress address, int count, byte[] hello, @Nullable SslContext tls) {
    int atOnce = tls == null ? CONNECTING_AT_ONCE : SHAKING_AT_ONCE;
    var from = new InetSocketAddress(source(), 0);
    Queue<Future<?>> connecting = new ArrayDeque<>();
    List<Peer> made = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      if (connecting.size() == atOnce) {
        connecting.remove().awaitUninterruptibly();
      }
      var peer = new Peer(0, hello.length > 0);
      made.add(peer);
      @Nullable SslHandler shaking = tls == null ? null : tls.newHandler(BUFFERS);
      ChannelFuture connected =
          new Bootstrap()
              .group(loops.group())
              .channel(loops.clientChannel(address))
              .option(ChannelOption.ALLOCATOR, BUFFERS)
              .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_BYTES))
              .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
              .option(ChannelOption.SO_RCVBUF, SMALL_SOCKET_BUFFER)
              .option(ChannelOption.TCP_NODELAY, true)
              .handler(shaking == null ? peer : both(shaking, peer))
              .connect(address, from);
      Future<?> usable = shaking == null ? connected : shaking.handshakeFuture();
      usable.addListener(done -> peer.send(hello));
      connecting.add(usable);
    }
    connecting.forEach(Future::awaitUninterruptibly);
    List<Peer> connected = made.stream().filter(Peer::isOpen).toList();
    open.addAll(connected);
    return connected;
  }

  private static ChannelHandler both(ChannelHandler first, ChannelHandler second) {
    return new ChannelInitializer<Channel>() {
      @Override
      protected void initChannel(Channel channel) {
        channel.pipeline().addLast(first, second);
      }
    };
  }

  private static InetAddress source() {
    int number = SOURCES.incrementAndGet();
    try {
      return InetAddress.getByAddress(
          new byte[] {127, 1, (byte) (number / 250), (byte) (2 + number % 250)});
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Listens for the sidecar on a free port.
   *
   * @param accepted given each connection before anything was read from it
   */
  Channel listen(Consumer<Peer> accepted) {
    var any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return new ServerBootstrap()
        .group(loops.group())
        .channel(loops.serverChannel(any))
        .childOption(ChannelOption.ALLOCATOR, BUFFERS)
        .childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_BYTES))
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childHandler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel child) {
                var peer = new Peer(Frames.PREFACE.length, true);
                child.pipeline().addLast(peer);
                open.add(peer);
                accepted.accept(peer);
              }
            })
        .bind(any)
        .syncUninterruptibly()
        .channel();
  }

  /** Closes all connections as {@code close} does; those that come later stay open. */
  void closeAll(Consumer<Peer> close) {
    for (@Nullable Peer peer = open.poll(); peer != null; peer = open.poll()) {
      close.accept(peer);
    }
    // Closes are tasks of the loop: when this one has run, so have they.
    loops.group().next().submit(() -> {}).awaitUninterruptibly();
  }

  @Override
  public void close() {
    closeAll(Peer::abort);
    loops.stop(Duration.ofSeconds(5));
  }
}
