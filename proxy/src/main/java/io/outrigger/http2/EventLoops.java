package io.outrigger.http2;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
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
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The data plane's event loops, {@code loop-0} to {@code loop-N}, and the kinds of channel that fit
 * the transport they run on.
 */
@AnyThread
public final class EventLoops {
  /** How the loops talk to the operating system. */
  public enum TransportKind {
    /** Epoll where it works, else NIO. */
    AUTO,
    EPOLL,
    NIO
  }

  private static final long QUIET_MILLIS = 50;

  /** What is written in a turn leaves at its end, so that it must not be long. */
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
    this.group = new FairGroup(count, new DefaultThreadFactory("loop", false), handlers(kind));
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
   * @throws IllegalStateException if {@code wanted} does not work on this machine
   */
  public static EventLoops start(TransportKind wanted, int count) {
    return start(wanted, count, ByteBufAllocator.DEFAULT);
  }

  /** The same, for channels whose buffers come from {@code allocator}. */
  public static EventLoops start(TransportKind wanted, int count, ByteBufAllocator allocator) {
    return new EventLoops(resolve(wanted), count, allocator);
  }

  private static final class FairGroup extends MultiThreadIoEventLoopGroup {
    FairGroup(int count, ThreadFactory threads, IoHandlerFactory handlers) {
      super(count, threads, handlers);
    }

    @Override
    protected IoEventLoop newChild(Executor executor, IoHandlerFactory handlers, Object... args) {
      return new FairLoop(this, executor, handlers);
    }
  }

  /**
   * Has Netty do what it does for the first loop, channel and buffer: load native code, try out
   * what the JVM allows, read annotations. That takes some time and depends on no configuration.
   * And what the first connection would have to wait for, but for the tables of the codec.
   */
  public static void prepare() {
    TransportKind kind = resolve(TransportKind.AUTO);
    handlers(kind);
    ByteBufAllocator.DEFAULT.directBuffer().release();
    Channel unused =
        kind == TransportKind.EPOLL ? new EpollServerSocketChannel() : new NioServerSocketChannel();
    unused.unsafe().closeForcibly();
    new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {}
    }.isSharable();
    if (kind == TransportKind.EPOLL) {
      var unusedFailure = Errors.newIOException("connect", Errors.ERRNO_EPIPE_NEGATIVE);
    }
  }

  /** Makes the tables of the codec, for the first connection. */
  public static void prepareCodec() {
    Huffman.prepare();
  }

  private static TransportKind resolve(TransportKind wanted) {
    return switch (wanted) {
      case AUTO -> Epoll.isAvailable() ? TransportKind.EPOLL : TransportKind.NIO;
      case EPOLL -> available(wanted, Epoll.unavailabilityCause());
      case NIO -> wanted;
    };
  }

  private static TransportKind available(TransportKind wanted, @Nullable Throwable obstacle) {
    if (obstacle != null) {
      throw new IllegalStateException(
          "--transport %s does not work on this machine (%s); use auto"
              .formatted(wanted.name().toLowerCase(Locale.ROOT), obstacle.getMessage()),
          obstacle);
    }
    return wanted;
  }

  private static IoHandlerFactory handlers(TransportKind kind) {
    return switch (kind) {
      case EPOLL ->
          EpollIoHandler.newFactory(SOCKETS_PER_TURN, DefaultSelectStrategyFactory.INSTANCE);
      case NIO -> NioIoHandler.newFactory();
      case AUTO -> throw new AssertionError(kind);
    };
  }

  /** What AUTO came to; never AUTO itself. */
  public TransportKind kind() {
    return kind;
  }

  /** Where the channels of the data plane take their buffers from. */
  public ByteBufAllocator allocator() {
    return allocator;
  }

  /** How many loops there are. */
  public int count() {
    return loops.length;
  }

  public EventLoop loop(int index) {
    return loops[index];
  }

  /** The errors of all peers. Any thread. */
  public PeerErrors peerErrors() {
    return peerErrors;
  }

  /** A number for a connection that nobody has had; those of one loop ascend. Any thread. */
  public long nextSocketId() {
    return lastSocketId.incrementAndGet();
  }

  /**
   * Asks each loop on its own thread.
   *
   * @param question given the loop's index
   * @return the answers in the order of the loops; fails when a loop has stopped
   */
  public <T> CompletionStage<List<T>> askEach(IntFunction<T> question) {
    try {
      List<CompletableFuture<T>> answers =
          IntStream.range(0, loops.length)
              .mapToObj(i -> CompletableFuture.supplyAsync(() -> question.apply(i), loops[i]))
              .toList();
      return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
          .thenApply(all -> answers.stream().map(CompletableFuture::join).toList());
    } catch (RejectedExecutionException stopped) {
      return CompletableFuture.failedStage(stopped); // the process ends
    }
  }

  /**
   * Which of the loops {@code loop} is.
   *
   * @throws IllegalArgumentException if it is none of them
   */
  @SuppressWarnings("ReferenceEquality") // a loop is itself
  public int index(EventLoop loop) {
    for (int i = 0; i < loops.length; i++) {
      if (loops[i] == loop) {
        return i;
      }
    }
    throw new IllegalArgumentException("not one of our event loops");
  }

  /** All loops in turn, as a bootstrap wants them. */
  public MultiThreadIoEventLoopGroup group() {
    return group;
  }

  /** The channel that accepts at {@code address}: TCP, or a unix socket. */
  public Class<? extends ServerChannel> serverChannel(SocketAddress address) {
    boolean unix = isUnix(address);
    return switch (kind) {
      case EPOLL -> unix ? EpollServerDomainSocketChannel.class : EpollServerSocketChannel.class;
      case NIO -> unix ? NioServerDomainSocketChannel.class : NioServerSocketChannel.class;
      case AUTO -> throw new AssertionError(kind);
    };
  }

  /** The channel that connects to {@code address}: TCP, or a unix socket. */
  public Class<? extends Channel> clientChannel(SocketAddress address) {
    boolean unix = isUnix(address);
    return switch (kind) {
      case EPOLL -> unix ? EpollDomainSocketChannel.class : EpollSocketChannel.class;
      case NIO -> unix ? NioDomainSocketChannel.class : NioSocketChannel.class;
      case AUTO -> throw new AssertionError(kind);
    };
  }

  /** The address of a unix socket, in the form that this transport takes. */
  public SocketAddress unixAddress(Path path) {
    return kind == TransportKind.NIO
        ? UnixDomainSocketAddress.of(path)
        : new DomainSocketAddress(path.toString());
  }

  private static boolean isUnix(SocketAddress address) {
    return address instanceof DomainSocketAddress || address instanceof UnixDomainSocketAddress;
  }

  /**
   * Stops the loops once they have been quiet for a moment, so that what the end of one connection
   * posts to another loop is still done; at {@code limit} at the latest. Blocks until then.
   */
  public void stop(Duration limit) {
    group
        .shutdownGracefully(QUIET_MILLIS, limit.toMillis(), TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(limit.toMillis());
  }
}
