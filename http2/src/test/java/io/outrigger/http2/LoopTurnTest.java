package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.internal.PlatformDependent;
import io.outrigger.http2.EventLoops.TransportKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A connection with frames to flush is served once, at the end of the turn; all once a second. */
final class LoopTurnTest {
  @Test
  void eachOpenConnectionIsCalledOnceASecondAndThenThereIsNoTimer() {
    var channel = new EmbeddedChannel();
    channel.freezeTime();
    LoopTurn turn = LoopTurn.of(channel.eventLoop());
    var one = new AtomicInteger();
    var other = new AtomicInteger();
    LoopTurn.Mark first = ticking(turn, now -> one.incrementAndGet());
    LoopTurn.Mark second = ticking(turn, now -> other.incrementAndGet());

    pass(channel, 999);
    assertThat(one).hasValue(0);
    pass(channel, 1);
    first.close();
    pass(channel, 1_000);
    assertThat(one).hasValue(1);
    assertThat(other).hasValue(2);

    second.close();
    pass(channel, 1_000);
    assertThat(other).hasValue(2);
    assertThat(channel.runScheduledPendingTasks()).isEqualTo(-1);
    channel.finishAndReleaseAll();
  }

  /** Thousands of connections may end in one tick; other connections are served in between. */
  @Test
  void aLongTickGoesOnInTheNextTurns() {
    var channel = new EmbeddedChannel();
    channel.freezeTime();
    LoopTurn turn = LoopTurn.of(channel.eventLoop());
    List<String> served = new ArrayList<>();
    ticking(turn, now -> channel.advanceTimeBy(6, TimeUnit.MILLISECONDS));
    ticking(turn, now -> served.add("second"));
    channel.eventLoop().schedule(() -> served.add("a task"), 1_003, TimeUnit.MILLISECONDS);

    pass(channel, 1_000);
    assertThat(served).isEmpty();
    pass(channel, 1);
    assertThat(served).containsExactly("a task", "second");
    channel.finishAndReleaseAll();
  }

  /** If a tick takes over a second, the next tick must not double the time of each turn. */
  @Test
  void aTickThatOutlastsTheNextServesNoMoreInEachTurn() {
    var channel = new EmbeddedChannel();
    channel.freezeTime();
    LoopTurn turn = LoopTurn.of(channel.eventLoop());
    var served = new AtomicInteger();
    for (int i = 0; i < 20; i++) {
      ticking(
          turn,
          now -> {
            served.incrementAndGet();
            channel.advanceTimeBy(300, TimeUnit.MILLISECONDS);
          });
    }

    pass(channel, 1_000);
    for (int turns = 1; turns <= 20; turns++) {
      assertThat(served).hasValue(turns);
      channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
      channel.runScheduledPendingTasks();
    }
    channel.finishAndReleaseAll();
  }

  @Test
  void readsThatTookTheirPartOfATurnGoOnInTheNextTurns() {
    var channel = new EmbeddedChannel();
    channel.freezeTime();
    LoopTurn.Mark mark = LoopTurn.of(channel.eventLoop()).mark("peers", () -> {}, now -> {});
    var retries = new AtomicInteger();
    assertThat(mark.postpone(retries::incrementAndGet)).isFalse();
    channel.advanceTimeBy(4, TimeUnit.MILLISECONDS);
    assertThat(mark.postpone(retries::incrementAndGet)).isFalse();
    channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
    for (int i = 0; i < 33; i++) {
      assertThat(mark.postpone(retries::incrementAndGet)).isTrue();
    }
    assertThat(retries).hasValue(0);

    pass(channel, 1);
    assertThat(retries).hasValue(32);
    assertThat(mark.postpone(retries::incrementAndGet)).as("in a new turn").isFalse();
    pass(channel, 1);
    assertThat(retries).hasValue(33);
    pass(channel, 1);
    assertThat(channel.runScheduledPendingTasks()).as("no timer").isEqualTo(-1);
    channel.finishAndReleaseAll();
  }

  @Test
  void aTickThatFailsStopsNoOtherTick() {
    assertThat(ticksBeside(new IllegalStateException("in a test"))).isEqualTo(2);
  }

  /** Without memory for a log line, neither this tick of the others nor a later one is lost. */
  @Test
  void aTickThatCannotBeLoggedStopsNoOtherTick() {
    var full =
        new ListAppender<ILoggingEvent>() {
          @Override
          protected void append(ILoggingEvent line) {
            throw new OutOfMemoryError("heap, in a test");
          }
        };
    var logger = (Logger) LoggerFactory.getLogger(LoopTurn.class);
    full.start();
    logger.addAppender(full);

    int ticks = ticksBeside(new OutOfMemoryError("heap, in a test"));

    logger.detachAppender(full);
    assertThat(ticks).isEqualTo(2);
  }

  /** Returns how often a connection is served in two seconds beside one whose tick fails. */
  private static int ticksBeside(Throwable failure) {
    var channel = new EmbeddedChannel();
    channel.freezeTime();
    LoopTurn turn = LoopTurn.of(channel.eventLoop());
    var ticks = new AtomicInteger();
    ticking(turn, now -> PlatformDependent.throwException(failure));
    ticking(turn, now -> ticks.incrementAndGet());

    pass(channel, 1_000);
    pass(channel, 1_000);

    channel.finishAndReleaseAll();
    return ticks.get();
  }

  private static LoopTurn.Mark ticking(LoopTurn turn, LongConsumer onTick) {
    LoopTurn.Mark mark = turn.mark("ticking", () -> {}, onTick);
    mark.open();
    return mark;
  }

  private static void pass(EmbeddedChannel channel, int millis) {
    channel.runPendingTasks();
    channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
  }

  @Test
  void oneThatFailsKeepsNeitherTheOthersNorLaterTurnsFromBeingServed() {
    var channel = new EmbeddedChannel();
    LoopTurn queue = LoopTurn.of(channel.eventLoop());
    List<String> served = new ArrayList<>();
    var log = new ListAppender<ILoggingEvent>();
    var logger = (Logger) LoggerFactory.getLogger(LoopTurn.class);
    log.start();
    logger.addAppender(log);

    open(
        queue,
        () -> {
          throw new OutOfMemoryError("direct buffers, in a test");
        });
    open(queue, () -> served.add("the next one"));
    channel.runPendingTasks();
    open(queue, () -> served.add("a later turn"));
    channel.runPendingTasks();

    logger.detachAppender(log);
    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly("connection: not served by its event loop");
    assertThat(served).containsExactly("the next one", "a later turn");
    channel.finishAndReleaseAll();
  }

  /** Such as for lack of memory, in a part of it that is made late. */
  @Test
  void aConnectionThatCannotBeMadeIsNeverCalled() {
    var channel = new EmbeddedChannel();
    channel.freezeTime();
    var full =
        new ProcessMemory() {
          @Override
          public Accounts open(MemoryHolder connection, EventLoop loop) {
            throw new OutOfMemoryError("heap, in a test");
          }
        };
    ConnectionSettings settings = ConnectionSettings.DEFAULT.withMemory(full);
    ChannelHandler server = Http2Connection.server(settings, made -> new RecordingConnection());
    channel.pipeline().addLast(server);
    assertThatThrownBy(channel::checkException).hasRootCauseInstanceOf(OutOfMemoryError.class);
    channel.runPendingTasks();

    assertThat(channel.isOpen()).isFalse();
    assertThat(channel.runScheduledPendingTasks()).as("no timer").isEqualTo(-1);
    channel.finishAndReleaseAll();
  }

  private static void open(LoopTurn turn, Runnable task) {
    turn.mark("connection", task, now -> {}).set();
  }

  @Test
  void aLoopHasOneQueueForAllOfItsConnections() {
    var one = new EmbeddedChannel();
    var other = new EmbeddedChannel();
    LoopTurn queue = LoopTurn.of(one.eventLoop());

    assertThat(LoopTurn.of(one.eventLoop())).isSameAs(queue);
    LoopTurn another = LoopTurn.of(other.eventLoop());
    assertThat(another).isNotSameAs(queue);
    assertThat(LoopTurn.of(other.eventLoop())).isSameAs(another);
    one.finishAndReleaseAll();
    other.finishAndReleaseAll();
  }

  /** Frames that other tasks of the turn write are sent with the same system call. */
  @Test
  void anEventLoopWithSocketsServesBehindAllTasksOfTheTurn() throws Exception {
    EventLoops loops = EventLoops.start(TransportKind.NIO, 1);
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    try {
      EventLoop loop = loops.loop(0);
      loop.submit(
              () -> {
                open(LoopTurn.of(loop), () -> order.add("served"));
                loop.execute(() -> order.add("a task"));
                loop.execute(() -> order.add("another task"));
              })
          .get();
    } finally {
      loops.stop(Duration.ofSeconds(60)); // ends a turn, too
    }

    assertThat(order).containsExactly("a task", "another task", "served");
  }
}
