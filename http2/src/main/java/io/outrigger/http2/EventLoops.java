package io.outrigger.http2;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Errors;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.outrigger.base.AnyThread;
import java.lang.reflect.Method;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * The event loops of the data plane, named {@code loop-0} to {@code loop-N}, and the channel
 * classes of their transport.
 */
@AnyThread
public final class EventLoops {
  public enum TransportKind {
    AUTO,
    EPOLL,
    NIO
  }

  private static final long QUIET_MILLIS = 50;

  /**
   * The maximum number of sockets that epoll serves in one turn of an event loop. Frames are
   * flushed at the end of a turn (one round of ready sockets and tasks), so a turn must be short.
   */
  private static final int SOCKETS_PER_TURN = 256;

  private final TransportKind kind;
  private final ByteBufAllocator allocator;
  private final MultiThreadIoEventLoopGroup group;
  private final EventLoop[] loops;
  private final AtomicLong lastSocketId = new AtomicLong();
  private final PeerErrors peerErrors = new PeerErrors();

  private EventLoops(TransportKind kind, int count, ByteBufAllocator allocator) {
    this.kind = kind;
    this.allocator = allocator;
    this.group =
        new MultiThreadIoEventLoopGroup(
            count, new DefaultThreadFactory("loop", false), handlers(kind)) {
          @Override
          protected IoEventLoop newChild(
              Executor executor, IoHandlerFactory handlers, Object... args) {
            return new FairLoop(this, executor, handlers);
          }
        };
    List<EventLoop> all = new ArrayList<>();
    for (EventExecutor executor : group) {
      EventLoop loop = (EventLoop) executor;
      String name = "loop-" + all.size();
      loop.execute(() -> Thread.currentThread().setName(name));
      all.add(loop);
    }
    this.loops = all.toArray(new EventLoop[0]);
  }

  /**
   * Starts {@code count} loops.
   *
   * @throws IllegalStateException if the wanted transport is not available on this machine
   */
  public static EventLoops start(TransportKind wanted, int count) {
    return start(wanted, count, ByteBufAllocator.DEFAULT);
  }

  /** Starts the given number of loops, whose channels use the given buffer allocator. */
  public static EventLoops start(TransportKind wanted, int count, ByteBufAllocator allocator) {
    return new EventLoops(resolve(wanted), count, allocator);
  }

  /**
   * Triggers the one-time initialization of Netty, which otherwise delays the first loop, channel
   * and buffer. On its first use, Netty loads native code, probes the JVM and reads annotations.
   */
  public static void prepare() {
    TransportKind kind = resolve(TransportKind.AUTO);
    handlers(kind);
    ByteBufAllocator.DEFAULT.directBuffer().release();
    Channel unused =
        kind == TransportKind.EPOLL ? new EpollServerSocketChannel() : new NioServerSocketChannel();
    unused
        .pipeline()
        .addLast(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {}
            });
    unused.unsafe().closeForcibly();
    if (kind == TransportKind.EPOLL) {
      var unusedFailure = Errors.newIOException("connect", Errors.ERRNO_EPIPE_NEGATIVE);
    }
  }

  /**
   * Reads the annotations of Netty's handlers, for which the JVM generates classes, and initializes
   * the tables of {@link Huffman}. May run at the same time as {@link #prepare}: no class of Netty
   * is initialized.
   */
  public static void prepareHandlers() {
    Huffman.prepare();
    boolean unused = ChannelInitializer.class.isAnnotationPresent(ChannelHandler.Sharable.class);
    for (Method method : ChannelInboundHandlerAdapter.class.getMethods()) {
      var unusedAnnotations = method.getAnnotations();
    }
  }

  private static TransportKind resolve(TransportKind wanted) {
    Throwable obstacle = wanted == TransportKind.NIO ? null : Epoll.unavailabilityCause();
    if (wanted == TransportKind.EPOLL && obstacle != null) {
      throw new IllegalStateException(
          "--transport epoll does not work on this machine (%s); use auto"
              .formatted(obstacle.getMessage()),
          obstacle);
    }
    return wanted == TransportKind.NIO || obstacle != null
        ? TransportKind.NIO
        : TransportKind.EPOLL;
  }

  private static IoHandlerFactory handlers(TransportKind kind) {
    return kind == TransportKind.EPOLL
        ? EpollIoHandler.newFactory(SOCKETS_PER_TURN, DefaultSelectStrategyFactory.INSTANCE)
        : NioIoHandler.newFactory();
  }

  /** The transport in use, which is EPOLL or NIO but never AUTO. */
  public TransportKind kind() {
    return kind;
  }

  public ByteBufAllocator allocator() {
    return allocator;
  }

  public int count() {
    return loops.length;
  }

  public EventLoop loop(int index) {
    return loops[index];
  }

  public PeerErrors peerErrors() {
    return peerErrors;
  }

  /** Returns a new id for a connection: unique in this process, and higher than all earlier ids. */
  public long nextSocketId() {
    return lastSocketId.incrementAndGet();
  }

  /**
   * Calls a function on the thread of each loop, with the index of the loop. Returns the results in
   * the order of the loops; the stage fails if a loop has stopped.
   */
  public <T> CompletionStage<List<T>> callOnEach(IntFunction<T> function) {
    try {
      List<CompletableFuture<T>> results =
          IntStream.range(0, loops.length)
              .mapToObj(i -> CompletableFuture.supplyAsync(() -> function.apply(i), loops[i]))
              .toList();
      return CompletableFuture.allOf(results.toArray(CompletableFuture<?>[]::new))
          .thenApply(all -> results.stream().map(CompletableFuture::join).toList());
    } catch (RejectedExecutionException stopped) {
      return CompletableFuture.failedStage(stopped); // loops stop only when the process ends
    }
  }

  @SuppressWarnings("ReferenceEquality") // each loop is one object
  public int index(EventLoop loop) {
    for (int i = 0; i < loops.length; i++) {
      if (loops[i] == loop) {
        return i;
      }
    }
    throw new IllegalArgumentException("not one of our event loops");
  }

  /** The group of all loops, for Netty's bootstraps; it assigns new channels to loops in turn. */
  public MultiThreadIoEventLoopGroup group() {
    return group;
  }

  /** The class of the server channel for a TCP address or a unix socket. */
  public Class<? extends ServerChannel> serverChannel(SocketAddress address) {
    boolean unix = isUnix(address);
    if (kind == TransportKind.EPOLL) {
      return unix ? EpollServerDomainSocketChannel.class : EpollServerSocketChannel.class;
    }
    return unix ? NioServerDomainSocketChannel.class : NioServerSocketChannel.class;
  }

  /** The class of the client channel for a TCP address or a unix socket. */
  public Class<? extends Channel> clientChannel(SocketAddress address) {
    boolean unix = isUnix(address);
    if (kind == TransportKind.EPOLL) {
      return unix ? EpollDomainSocketChannel.class : EpollSocketChannel.class;
    }
    return unix ? NioDomainSocketChannel.class : NioSocketChannel.class;
  }

  /** The address of a unix socket, as an instance of the class that the transport in use needs. */
  public SocketAddress unixAddress(Path path) {
    return kind == TransportKind.NIO
        ? UnixDomainSocketAddress.of(path)
        : new DomainSocketAddress(path.toString());
  }

  private static boolean isUnix(SocketAddress address) {
    return address instanceof DomainSocketAddress || address instanceof UnixDomainSocketAddress;
  }

  /**
   * Stops the loops when they have been idle for 50 ms, and after the given limit at the latest.
   * During these 50 ms, a closing connection can still post its last tasks to other loops. Blocks
   * until the loops have stopped.
   */
  public void stop(Duration limit) {
    group
        .shutdownGracefully(QUIET_MILLIS, limit.toMillis(), TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(limit.toMillis());
  }
}
