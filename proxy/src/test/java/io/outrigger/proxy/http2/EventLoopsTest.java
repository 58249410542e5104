package io.outrigger.proxy.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.outrigger.proxy.http2.EventLoops.TransportKind;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
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
              .askEach(i -> i + " on " + Thread.currentThread().getName())
              .toCompletableFuture()
              .get(60, TimeUnit.SECONDS);

      assertThat(answers).containsExactly("0 on loop-0", "1 on loop-1", "2 on loop-2");
    } finally {
      loops.stop(Duration.ofSeconds(60));
    }
    assertThat(loops.askEach(i -> i).toCompletableFuture()).isCompletedExceptionally();
  }

  /** While nothing else happens: a loop waits without end, or for the soonest of them. */
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void anIdleLoopRunsWhatIsPostedAndWhatIsScheduledInItsTime(TransportKind kind) throws Exception {
    EventLoops loops;
    try {
      loops = EventLoops.start(kind, 1);
    } catch (IllegalStateException e) {
      Assumptions.abort(e.getMessage());
      return;
    }
    try {
      EventLoop loop = loops.loop(0);
      Queue<String> ran = new ConcurrentLinkedQueue<>();
      for (String name : List.of("first", "second")) { // the second time it has waited before
        int millis = name.equals("first") ? 40 : 30;
        long start = System.nanoTime();
        var late = loop.schedule(() -> ran.add(name), 2L * millis, TimeUnit.MILLISECONDS);
        var soon = loop.schedule(() -> ran.add(name + ", sooner"), millis, TimeUnit.MILLISECONDS);
        loop.submit(() -> ran.add(name + ", at once")).get(60, TimeUnit.SECONDS);

        soon.get(60, TimeUnit.SECONDS);
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(millis * 1_000_000L);
        late.get(60, TimeUnit.SECONDS);
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(2 * millis * 1_000_000L);
      }
      assertThat(ran)
          .filteredOn(text -> !text.endsWith("at once"))
          .containsExactly("first, sooner", "first", "second, sooner", "second");
      assertThat(ran).hasSize(6);
    } finally {
      loops.stop(Duration.ofSeconds(60));
    }
  }

  /**
   * Two seconds of tasks, as an update with very many endpoints brings them, must not keep sockets
   * waiting for one second and then for the other.
   */
  @Test
  void socketsAreReadBetweenManyTasks() throws Exception {
    try (var sockets = new Sockets(TransportKind.AUTO, 1);
        var client = new Socket()) {
      client.connect(sockets.listen(Echo::new));
      var left = new AtomicInteger(20_000);
      Runnable task =
          () -> {
            long end = System.nanoTime() + 100_000;
            while (System.nanoTime() < end) {
              Thread.onSpinWait();
            }
            left.decrementAndGet();
          };
      for (int i = left.get(); i > 0; i--) {
        sockets.loops.loop(0).execute(task);
      }

      int answers = 0;
      while (left.get() > 0) {
        client.getOutputStream().write(1);
        assertThat(client.getInputStream().read()).isEqualTo(1);
        answers++;
      }
      assertThat(answers).isGreaterThan(10);
    }
  }

  /** Sends back what comes. */
  private static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object bytes) {
      var unused = ctx.writeAndFlush(bytes);
    }
  }

  @Test
  void autoPicksATransportThatWorks() {
    EventLoops loops = EventLoops.start(TransportKind.AUTO, 1);

    assertThat(loops.kind()).isNotEqualTo(TransportKind.AUTO);
    assertThat(loops.count()).isEqualTo(1);
    loops.stop(Duration.ofSeconds(1));
  }
}
