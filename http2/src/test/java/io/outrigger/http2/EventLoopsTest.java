package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.UnixOperatingSystemMXBean;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.outrigger.http2.EventLoops.TransportKind;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class EventLoopsTest {
  @Test
  void loopsAreNumberedAndNamedByTheirNumber() throws Exception {
    EventLoops loops = EventLoops.start(TransportKind.NIO, 3);
    try {
      for (int i = 0; i < 3; i++) {
        assertThat(loops.index(loops.loop(i))).isEqualTo(i);
        assertThat(loops.loop(i).submit(() -> Thread.currentThread().getName()).get())
            .isEqualTo("loop-" + i);
      }
      var foreign = new DefaultEventLoop();
      assertThatThrownBy(() -> loops.index(foreign)).isInstanceOf(IllegalArgumentException.class);
      var unused = foreign.shutdownGracefully();
    } finally {
      loops.stop(Duration.ofSeconds(1));
    }
  }

  @Test
  void eachLoopAnswersForItselfUntilTheyAreStopped() throws Exception {
    EventLoops loops = EventLoops.start(TransportKind.NIO, 3);
    try {
      var answers =
          loops
              .callOnEach(i -> i + " on " + Thread.currentThread().getName())
              .toCompletableFuture()
              .get(60, TimeUnit.SECONDS);

      assertThat(answers).containsExactly("0 on loop-0", "1 on loop-1", "2 on loop-2");
    } finally {
      loops.stop(Duration.ofSeconds(60));
    }
    assertThat(loops.callOnEach(i -> i).toCompletableFuture()).isCompletedExceptionally();
  }

  /** An idle loop blocks without a limit, or until its next scheduled task. */
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void anIdleLoopRunsWhatIsPostedAndWhatIsDue(TransportKind kind) throws Exception {
    EventLoops loops = startOrSkip(kind);
    try {
      EventLoop loop = loops.loop(0);
      runsAtOnce(loop);
      runsInTime(loop, 20);

      var farAway = loop.schedule(() -> {}, 1, TimeUnit.HOURS);
      runsAtOnce(loop); // then the loop blocks for an hour
      runsInTime(loop, 20);
      runsInTime(loop, 1);
      runsAtOnce(loop);

      assertThat(farAway.cancel(false)).isTrue();
      runsAtOnce(loop);
      runsInTime(loop, 20);
    } finally {
      loops.stop(Duration.ofSeconds(60));
    }
  }

  private static EventLoops startOrSkip(TransportKind kind) {
    try {
      return EventLoops.start(kind, 1);
    } catch (IllegalStateException e) {
      return Assumptions.abort(e.getMessage());
    }
  }

  private static void runsAtOnce(EventLoop loop) throws Exception {
    assertThat(loop.submit(() -> "done").get(60, TimeUnit.SECONDS)).isEqualTo("done");
  }

  private static void runsInTime(EventLoop loop, long millis) throws Exception {
    long start = System.nanoTime();
    loop.schedule(() -> {}, millis, TimeUnit.MILLISECONDS).get(60, TimeUnit.SECONDS);

    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(millis * 1_000_000);
  }

  /**
   * Many tasks, for example after an update with very many endpoints, must not delay reads of
   * sockets for a second, in which 10,000 of these tasks run. An answer may come late nevertheless
   * where the machine holds up this thread.
   */
  @Test
  void socketsAreReadBetweenManyTasks() throws Exception {
    try (var sockets = new Sockets(TransportKind.AUTO, 1);
        var client = new Socket()) {
      client.setSoTimeout(60_000);
      client.connect(sockets.listen(Echo::new));
      var tasks = new Tasks(sockets.loops.loop(0));
      for (int i = 0; i < 1_000; i++) {
        sockets.loops.loop(0).execute(tasks);
      }

      int prompt = 0;
      for (int i = 0; prompt <= 10 && i < 10_000; i++) {
        int before = tasks.ran.get();
        client.getOutputStream().write(1);
        assertThat(client.getInputStream().read()).isEqualTo(1);
        prompt += tasks.ran.get() - before < 2_000 ? 1 : 0;
      }
      tasks.over = true;
      assertThat(prompt).isGreaterThan(10);
    }
  }

  /** A task of a tenth of a millisecond that posts itself again. */
  private static final class Tasks implements Runnable {
    final AtomicInteger ran = new AtomicInteger();
    volatile boolean over;
    private final EventLoop loop;

    Tasks(EventLoop loop) {
      this.loop = loop;
    }

    @Override
    public void run() {
      long end = System.nanoTime() + 100_000;
      while (System.nanoTime() < end) {
        Thread.onSpinWait();
      }
      ran.incrementAndGet();
      if (!over) {
        loop.execute(this);
      }
    }
  }

  /** Sends received bytes back. */
  private static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object bytes) {
      var unused = ctx.writeAndFlush(bytes);
    }
  }

  @Test
  void autoPicksATransportThatWorks() {
    EventLoops loops = EventLoops.start(TransportKind.AUTO, 1);

    assertThat(loops.kind())
        .isEqualTo(Epoll.isAvailable() ? TransportKind.EPOLL : TransportKind.NIO);
    assertThat(loops.count()).isEqualTo(1);
    loops.stop(Duration.ofSeconds(1));
  }

  private record Channels(
      Class<? extends Channel> server,
      Class<? extends Channel> client,
      Class<? extends Channel> unixServer,
      Class<? extends Channel> unixClient,
      SocketAddress unixAddress) {}

  private static Channels channels(TransportKind kind) {
    var ofNetty = new DomainSocketAddress("/tmp/a.sock");
    return switch (kind) {
      case EPOLL ->
          new Channels(
              EpollServerSocketChannel.class,
              EpollSocketChannel.class,
              EpollServerDomainSocketChannel.class,
              EpollDomainSocketChannel.class,
              ofNetty);
      case NIO, AUTO ->
          new Channels(
              NioServerSocketChannel.class,
              NioSocketChannel.class,
              NioServerDomainSocketChannel.class,
              NioDomainSocketChannel.class,
              UnixDomainSocketAddress.of("/tmp/a.sock"));
    };
  }

  @ParameterizedTest
  @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void channelsAndAddressesFitTheTransport(TransportKind kind) {
    Channels fitting = channels(kind);
    EventLoops loops = startOrSkip(kind);
    try {
      assertThat(loops.kind()).isEqualTo(kind);
      var tcp = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
      assertThat(loops.serverChannel(tcp)).isEqualTo(fitting.server);
      assertThat(loops.clientChannel(tcp)).isEqualTo(fitting.client);

      Path path = Path.of("/tmp/a.sock");
      assertThat(loops.unixAddress(path)).isEqualTo(fitting.unixAddress);
      for (SocketAddress unix :
          List.of(UnixDomainSocketAddress.of(path), new DomainSocketAddress(path.toFile()))) {
        assertThat(loops.serverChannel(unix)).isEqualTo(fitting.unixServer);
        assertThat(loops.clientChannel(unix)).isEqualTo(fitting.unixClient);
      }
    } finally {
      loops.stop(Duration.ofSeconds(1));
    }
  }

  @Test
  void noTwoConnectionsHaveTheSameNumber() {
    EventLoops loops = EventLoops.start(TransportKind.NIO, 1);
    try {
      long first = loops.nextSocketId();
      assertThat(loops.nextSocketId()).isEqualTo(first + 1);
      assertThat(loops.nextSocketId()).isEqualTo(first + 2);
    } finally {
      loops.stop(Duration.ofSeconds(1));
    }
  }

  /** Other parts of the test do not open 100 sockets, so such a difference would be a leak. */
  @Test
  void preparationLeavesNoSocketBehind() {
    EventLoops.prepare(); // the first call keeps the files that it loads open
    var system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long before = system.getOpenFileDescriptorCount();

    for (int i = 0; i < 100; i++) {
      EventLoops.prepare();
    }

    assertThat(system.getOpenFileDescriptorCount() - before).isLessThan(90);
  }
}
