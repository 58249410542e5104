package io.outrigger.observe.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventStreamTest {
  private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
  private final ScriptedFeed feed = new ScriptedFeed();
  private final EventStream stream = new EventStream(channel.pipeline().firstContext(), feed);

  /** Answers when the test says so. */
  private static final class ScriptedFeed implements EventFeed {
    final Queue<CompletableFuture<Part>> asked = new ArrayDeque<>();
    Runnable wake = () -> {};
    boolean closed;

    @Override
    public CompletionStage<Part> next() {
      var answer = new CompletableFuture<Part>();
      asked.add(answer);
      return answer;
    }

    @Override
    public void onMore(Runnable listener) {
      wake = listener;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  @AfterEach
  void close() {
    stream.close();
    channel.finishAndReleaseAll();
    assertThat(feed.closed).isTrue();
  }

  @Test
  void partsAreAskedForOneAfterTheOther() {
    stream.start();
    assertThat(written()).isEqualTo(": events follow\n\n");

    feed.wake.run();
    channel.runPendingTasks();
    assertThat(feed.asked).hasSize(1);
    answer(new EventFeed.Part("one", true));

    assertThat(written()).isEqualTo("one");
    assertThat(feed.asked).hasSize(1); // it was woken meanwhile
    answer(new EventFeed.Part("", true));
    assertThat(feed.asked).isEmpty();
  }

  @Test
  void aSlowReaderIsNotReadAhead() {
    stream.start();
    written();
    channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);

    answer(new EventFeed.Part("one", false));
    for (int i = 0; i < 1000; i++) {
      feed.wake.run();
      channel.runPendingTasks();
    }
    assertThat(feed.asked).isEmpty();

    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
    stream.onWritable();
    assertThat(feed.asked).hasSize(1);
  }

  private void answer(EventFeed.Part part) {
    feed.asked.remove().complete(part);
    channel.runPendingTasks();
  }

  private String written() {
    var text = new StringBuilder();
    HttpContent content;
    while ((content = channel.readOutbound()) != null) {
      text.append(content.content().toString(StandardCharsets.UTF_8));
      content.release();
    }
    return text.toString();
  }
}
