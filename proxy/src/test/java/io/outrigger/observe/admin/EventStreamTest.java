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
    final Queue<CompletableFuture<String>> asked = new ArrayDeque<>();
    boolean closed;

    @Override
    public CompletionStage<String> next() {
      var answer = new CompletableFuture<String>();
      asked.add(answer);
      return answer;
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
    stream.pull();
    assertThat(feed.asked).hasSize(1);

    answer("one");

    assertThat(written()).isEqualTo("one");
    assertThat(feed.asked).hasSize(1);
  }

  @Test
  void aSlowReaderIsNotReadAhead() {
    stream.start();
    written();
    channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);

    answer("one");
    assertThat(feed.asked).isEmpty();

    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
    stream.pull();
    assertThat(feed.asked).hasSize(1);
  }

  private void answer(String part) {
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
