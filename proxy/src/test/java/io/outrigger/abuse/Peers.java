package io.outrigger.abuse;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
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
import java.util.Queue;
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

  private static final int READ_BYTES = 16 << 10;

  /** What a socket that is not read takes beside. */
  private static final int SMALL_SOCKET_BUFFER = 4096;

  private static final int CONNECTING_AT_ONCE = 256;
  private static final int CONNECT_TIMEOUT_MILLIS = 10_000;
  private static final Duration GREETING = Duration.ofSeconds(5);

  /** Not from the same addresses as the program before: its ports are not free for a minute. */
  private static final AtomicInteger SOURCES =
      new AtomicInteger((int) (ProcessHandle.current().pid() * 100 % 60_000));

  private final EventLoops loops = EventLoops.start(EventLoops.TransportKind.AUTO, 1);
  private final Queue<Peer> open = new ConcurrentLinkedQueue<>();

  /** A connection that has sent its preface and SETTINGS. */
  Peer app(InetSocketAddress address, int... settings) {
    return apps(address, 1, settings).get(0);
  }

  /** As many of {@code count} as could connect; SETTINGS are exchanged where they came in time. */
  List<Peer> apps(InetSocketAddress address, int count, int... settings) {
    List<Peer> peers = connect(address, count, true);
    byte[] hello =
        Frames.join(Frames.PREFACE, Frames.settings(settings), Frames.windowUpdate(0, 1 << 30));
    peers.forEach(peer -> peer.send(hello));
    long began = WaitingClock.nanoTime();
    while (!peers.stream().allMatch(Peer::isGreeted)
        && WaitingClock.nanoTime() - began < GREETING.toNanos()) {
      WaitingClock.sleep(Duration.ofMillis(5));
    }
    return peers;
  }

  /** Connections that have said nothing and whose answers are counted and dropped. */
  List<Peer> silent(InetSocketAddress address, int count) {
    return connect(address, count, false);
  }

  private List<Peer> connect(InetSocketAddress address, int count, boolean speaksHttp2) {
    var from = new InetSocketAddress(source(), 0);
    Queue<ChannelFuture> connecting = new ArrayDeque<>();
    List<Peer> made = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      if (connecting.size() == CONNECTING_AT_ONCE) {
        connecting.remove().awaitUninterruptibly();
      }
      var peer = new Peer(0, speaksHttp2);
      made.add(peer);
      connecting.add(
          new Bootstrap()
              .group(loops.group())
              .channel(loops.clientChannel(address))
              .option(ChannelOption.ALLOCATOR, BUFFERS)
              .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_BYTES))
              .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
              .option(ChannelOption.SO_RCVBUF, SMALL_SOCKET_BUFFER)
              .option(ChannelOption.TCP_NODELAY, true)
              .handler(peer)
              .connect(address, from));
    }
    connecting.forEach(ChannelFuture::awaitUninterruptibly);
    List<Peer> connected = made.stream().filter(Peer::isOpen).toList();
    open.addAll(connected);
    return connected;
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
