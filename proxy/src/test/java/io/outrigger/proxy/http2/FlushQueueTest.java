package io.outrigger.proxy.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

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
}
