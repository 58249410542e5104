package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.outrigger.http2.EventLoops.TransportKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A connection with frames to flush is served once, at the end of the turn. */
final class FlushQueueTest {
  @Test
  void oneThatFailsKeepsNeitherTheOthersNorLaterTurnsFromBeingServed() {
    var channel = new EmbeddedChannel();
    FlushQueue queue = FlushQueue.of(channel.eventLoop());
    List<String> served = new ArrayList<>();

    queue.add(
        () -> {
          throw new OutOfMemoryError("direct buffers, in a test");
        });
    queue.add(() -> served.add("the next one"));
    channel.runPendingTasks();
    queue.add(() -> served.add("a later turn"));
    channel.runPendingTasks();

    assertThat(served).containsExactly("the next one", "a later turn");
    channel.finishAndReleaseAll();
  }

  @Test
  void aLoopHasOneQueueForAllOfItsConnections() {
    var one = new EmbeddedChannel();
    var other = new EmbeddedChannel();
    FlushQueue queue = FlushQueue.of(one.eventLoop());

    assertThat(FlushQueue.of(one.eventLoop())).isSameAs(queue);
    FlushQueue another = FlushQueue.of(other.eventLoop());
    assertThat(another).isNotSameAs(queue);
    assertThat(FlushQueue.of(other.eventLoop())).isSameAs(another);
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
                FlushQueue.of(loop).add(() -> order.add("served"));
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
