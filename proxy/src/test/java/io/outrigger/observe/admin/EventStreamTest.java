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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventStreamTest {
  private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
  private final Queue<CompletableFuture<String>> asked = new ArrayDeque<>();
  private final EventStream stream = new EventStream(channel.pipeline().firstContext(), this::next);

  /** Answers when the test says so. */
  private CompletableFuture<String> next() {
    var answer = new CompletableFuture<String>();
    asked.add(answer);
    return answer;
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  @Test
  void partsAreAskedForOneAfterTheOther() {
    stream.start();
    assertThat(written()).isEqualTo(": events follow\n\n");
    stream.pull();
    assertThat(asked).hasSize(1);

    answer("one");

    assertThat(written()).isEqualTo("one");
    assertThat(asked).hasSize(1);
  }

  @Test
  void aSlowReaderIsNotReadAhead() {
    stream.start();
    written();
    channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);

    answer("one");
    assertThat(asked).isEmpty();

    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
    stream.pull();
    assertThat(asked).hasSize(1);
  }

  @Test
  void withoutEventsItAsksAgainAfterAWhileAndCommentsAreWritten() {
    stream.start();
    written();

    for (int i = 0; i < EventStream.POLLS_PER_COMMENT; i++) {
      assertThat(asked).hasSize(1);
      assertThat(written()).isEmpty();
      answer("");
      assertThat(asked).as("not at once").isEmpty();
      channel.advanceTimeBy(EventStream.POLL_MILLIS, TimeUnit.MILLISECONDS);
      channel.runScheduledPendingTasks();
    }

    assertThat(written()).isEqualTo(":\n\n");
  }

  @Test
  void aClosedConnectionIsNotAskedForAgain() {
    stream.start();
    channel.close();

    answer("");
    channel.advanceTimeBy(EventStream.POLL_MILLIS, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();

    assertThat(asked).isEmpty();
  }

  private void answer(String part) {
    asked.remove().complete(part);
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
