package io.outrigger.http2;

import static io.outrigger.http2.Messages.OK;
import static io.outrigger.http2.Messages.POST;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.outrigger.http2.testing.Frame;
import io.outrigger.http2.testing.Frames;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests that are canceled as soon as they are sent, and a backend that reads slowly. */
final class ResetFenceTest {
  private static void cancel(RawPeer server, int requests) {
    for (int i = 0; i < requests; i++) {
      server.open(POST, true).stream().reset(Http2Error.CANCEL);
    }
  }

  /** The number of empty SETTINGS frames that were sent since the last call. */
  private static int fences(RawPeer server) {
    List<Frame> frames = server.read();
    return (int)
        frames.stream()
            .filter(
                frame ->
                    frame.type() == Frames.SETTINGS
                        && !frame.isAck()
                        && frame.payload().length == 0)
            .count();
  }

  @Test
  void whatTheBackendMayNotHaveReadIsBounded() {
    try (RawPeer server = RawPeer.server(ConnectionSettings.DEFAULT)) {
      cancel(server, ResetFence.STEP - 1);
      assertThat(fences(server)).isZero();
      cancel(server, 1);
      assertThat(fences(server)).isEqualTo(1);
      cancel(server, ResetFence.MAX - ResetFence.STEP - 1);
      assertThat(server.connection.streams.canOpen()).isTrue();
      cancel(server, 1);

      assertThat(server.connection.streams.canOpen()).isFalse();
      assertThat(server.connection.openStream(new RecordingStream())).isNull();
      assertThat(fences(server)).as("one at a time").isZero();

      server.events.events.clear();
      server.send(Frames.settingsAck());
      assertThat(server.events.events).containsExactly("capacity");
      assertThat(fences(server)).as("for those behind the first").isEqualTo(1);
      cancel(server, ResetFence.STEP);
      assertThat(server.connection.streams.canOpen()).isFalse();

      server.send(Frames.settingsAck());
      assertThat(server.connection.streams.canOpen()).isTrue();
      assertThat(server.isOpen()).isTrue();
    }
  }

  @Test
  void aRequestThatWasAnsweredWasRead() {
    try (RawPeer server = RawPeer.server(ConnectionSettings.DEFAULT)) {
      for (int i = 0; i < 2 * ResetFence.MAX; i++) {
        RecordingStream call = server.open(POST, true);
        server.send(Frames.headers(2 * i + 1, Frames.END_HEADERS, ":status", "200"));
        call.stream().reset(Http2Error.CANCEL);
      }

      assertThat(server.connection.streams.canOpen()).isTrue();
      assertThat(fences(server)).isZero();
    }
  }

  @Test
  void aRequestThatWasNeverSentCountsNothing() {
    try (RawPeer server = RawPeer.server(ConnectionSettings.DEFAULT)) {
      for (int i = 0; i < 2 * ResetFence.MAX; i++) {
        server.connection.openStream(new RecordingStream()).reset(Http2Error.CANCEL);
      }

      assertThat(server.connection.streams.canOpen()).isTrue();
      assertThat(server.read()).isEmpty();
    }
  }

  @Test
  void aBackendThatAcknowledgesNothingIsWaitedForSomeSeconds() {
    try (RawPeer server = RawPeer.server(ConnectionSettings.DEFAULT)) {
      cancel(server, ResetFence.MAX);
      assertThat(server.connection.streams.canOpen()).isFalse();
      server.events.events.clear();
      for (int i = 0; i < ResetFence.TIMEOUT_SECONDS; i++) {
        server.advance(Duration.ofSeconds(1));
      }
      assertThat(server.connection.streams.canOpen()).isFalse();

      server.advance(Duration.ofSeconds(1));

      assertThat(server.connection.streams.canOpen()).isTrue();
      assertThat(server.events.events).containsExactly("capacity");
      assertThat(server.isOpen()).isTrue();
    }
  }

  @Test
  void aTickTellsOnlyOfPatienceThatHasEnded() {
    var channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
    var writer = new FrameWriter(channel.pipeline().firstContext(), () -> {});
    var fence = new ResetFence(writer);
    assertThat(fence.onTick()).as("nothing was sent").isFalse();
    for (int i = 0; i < ResetFence.STEP; i++) {
      fence.onReset();
    }

    for (int i = 0; i < ResetFence.TIMEOUT_SECONDS; i++) {
      assertThat(fence.onTick()).isFalse();
    }
    assertThat(fence.onTick()).isTrue();
    assertThat(fence.onTick()).as("once").isFalse();
    writer.release();
    channel.finishAndReleaseAll();
  }

  /** The first acknowledgment belongs to the client's initial SETTINGS. */
  @Test
  void theFirstAcknowledgementIsNotThatOfTheFence() {
    try (RawPeer server = RawPeer.silentServer()) {
      server.send(Frames.settings());
      cancel(server, ResetFence.MAX);

      server.send(Frames.settingsAck());
      assertThat(server.connection.streams.canOpen()).isFalse();
      server.send(Frames.settingsAck());
      assertThat(server.connection.streams.canOpen()).isTrue();
    }
  }

  @Test
  void aServerSendsNone() {
    try (RawPeer client = RawPeer.client()) {
      for (int i = 0; i < 2 * ResetFence.STEP; i++) {
        client.send(
            Frames.headers(
                2 * i + 1,
                Frames.END_HEADERS | Frames.END_STREAM,
                ":method",
                "POST",
                ":scheme",
                "http",
                ":path",
                "/",
                ":authority",
                "a"));
        client.events.stream(i).stream().reset(Http2Error.CANCEL);
      }

      assertThat(fences(client)).isZero();
    }
  }

  @Test
  void honestCallsSendNone() {
    try (Wire wire = Wire.open()) {
      for (int i = 0; i < 2 * ResetFence.STEP; i++) {
        wire.request(POST, true);
        wire.run();
        wire.serverEvents.stream(i).stream().sendHeaders(OK, true);
        wire.run();
      }

      assertThat(wire.client.streams.canOpen()).isTrue();
      assertThat(wire.client.activeStreams()).isZero();
    }
  }
}
