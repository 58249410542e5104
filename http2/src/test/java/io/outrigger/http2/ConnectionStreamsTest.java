package io.outrigger.http2;

import static io.outrigger.http2.Messages.OK;
import static io.outrigger.http2.Messages.POST;
import static io.outrigger.http2.testing.Frames.END_HEADERS;
import static io.outrigger.http2.testing.Frames.END_STREAM;
import static io.outrigger.http2.testing.Frames.goAway;
import static io.outrigger.http2.testing.Frames.headers;
import static io.outrigger.http2.testing.Frames.join;
import static io.outrigger.http2.testing.Frames.ping;
import static io.outrigger.http2.testing.Frames.settings;
import static io.outrigger.http2.testing.Frames.settingsAck;
import static io.outrigger.http2.testing.Frames.wholeRequest;
import static io.outrigger.http2.testing.Frames.windowUpdate;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.testing.Frames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Start and end of streams, and the effects on their connection. */
final class ConnectionStreamsTest {
  private static final int MIB = 1 << 20;
  private static final int ENABLE_PUSH = FrameType.SETTINGS_ENABLE_PUSH;
  private static final Duration TICK = Duration.ofSeconds(1);

  private final ConnectionSettings settings = ConnectionSettings.DEFAULT;

  private static RecordingStream begin(RawPeer server, RecordingStream call) {
    Http2Stream stream = server.connection.openStream(call);
    assertThat(stream).isNotNull();
    call.stream = stream;
    return call;
  }

  /** RFC 9113 section 6.5.2: a server sends ENABLE_PUSH with 0 or not at all. */
  @Test
  void onlyAClientMayAllowPushes() {
    try (RawPeer client = RawPeer.client()) {
      client.send(settings(ENABLE_PUSH, 1));
      assertThat(client.answer()).isEqualTo("SETTINGS ack");
    }
    try (RawPeer server = RawPeer.server(ConnectionSettings.DEFAULT)) {
      server.send(settings(ENABLE_PUSH, 1));
      assertThat(server.answer()).isEqualTo("GOAWAY 0 PROTOCOL_ERROR");
    }
  }

  @Test
  void theLoopKnowsTheWorkOfATurn() {
    try (RawPeer client = RawPeer.client()) {
      LoopTurn.Mark mark =
          LoopTurn.of(client.channel.eventLoop()).mark("test", () -> {}, now -> {});
      List<Integer> begun = new ArrayList<>();
      client.events.onStream = stream -> begun.add(mark.workOfTurn());

      client.send(join(wholeRequest(1), wholeRequest(3), wholeRequest(5)));
      client.send(join(ping(1), windowUpdate(0, 1), wholeRequest(7)));
      client.send(join(headers(9, END_HEADERS, "refused", "a"), wholeRequest(11)));

      int stream = LoopTurn.STREAM_WORK;
      assertThat(begun).containsExactly(stream, 2 * stream, 3 * stream, 2 + stream, 2 * stream);
    }
  }

  @Test
  void aRequestGetsItsNumberAndItsEnd() {
    try (RawPeer server = RawPeer.server(settings)) {
      RecordingStream call = begin(server, new RecordingStream());
      call.stream().sendHeaders(POST, true);

      assertThat(call.stream().id()).isEqualTo(1);
      assertThat(call.stream().hasSentEnd()).isTrue();
      assertThat(server.answer()).isEqualTo("HEADERS 1 end");
      server.send(headers(1, END_HEADERS | END_STREAM, ":status", "200"));
      assertThat(call.story()).isEqualTo("headers+end");
      assertThat(server.connection.activeStreams()).isZero();
    }
  }

  /**
   * RFC 9110 section 8.6: the content-length in a response to HEAD is the length of the response to
   * GET.
   */
  @Test
  void theAnswerToAHeadRequestNeedsNoContent() {
    try (RawPeer server = RawPeer.server(settings)) {
      RecordingStream call = begin(server, new RecordingStream());
      call.stream().sendHeaders(Messages.request("HEAD", "/a"), true);

      server.send(headers(1, END_HEADERS | END_STREAM, ":status", "200", "content-length", "5"));

      assertThat(call.story()).isEqualTo("headers+end");
    }
  }

  @Test
  void anAnswerEndsItsStream() {
    try (RawPeer client = RawPeer.client()) {
      client.send(wholeRequest(1));
      Http2Stream served = client.events.stream(0).stream();
      served.sendHeaders(OK, false);
      assertThat(client.connection.activeStreams()).isEqualTo(1);
      served.sendHeaders(Messages.TRAILERS, true);

      assertThat(client.answer()).isEqualTo("HEADERS 1, HEADERS 1 end");
      assertThat(client.connection.activeStreams()).isZero();
    }
  }

  /** 1,300 concurrent calls that are canceled: more than the server may leave unread. */
  private static RawPeer withUnreadResets() {
    RawPeer server = RawPeer.server(ConnectionSettings.DEFAULT);
    List<RecordingStream> calls = new ArrayList<>();
    for (int i = 0; i < 1_300; i++) {
      calls.add(server.open(POST, true));
    }
    calls.forEach(call -> call.stream().reset(Http2Error.CANCEL));
    assertThat(server.connection.streams.canOpen()).isFalse();
    var unused = server.read();
    server.events.events.clear();
    return server;
  }

  @Test
  void whoWaitsForTheServerToReadIsToldWhenItHas() {
    try (RawPeer server = withUnreadResets()) {
      server.send(settingsAck()); // acknowledges the frame after the first 256 resets
      assertThat(server.events.events).isEmpty();
      assertThat(server.answer()).isEqualTo("SETTINGS");

      server.send(settingsAck());
      assertThat(server.events.events).containsExactly("capacity");
      assertThat(server.answer()).isEmpty();
    }
  }

  @Test
  void whoWaitsForAServerThatAcknowledgesNothingIsToldWhenItIsGivenUp() {
    try (RawPeer server = withUnreadResets()) {
      for (int i = 0; i < 2 * ResetFence.TIMEOUT_SECONDS + 1; i++) {
        server.advance(TICK);
      }
      assertThat(server.events.events).isEmpty();
      assertThat(server.answer()).isEqualTo("SETTINGS");

      server.advance(TICK);
      assertThat(server.events.events).containsExactly("capacity");
    }
  }

  @Test
  void aStreamThatEndsMakesRoomForOneThatWasWanted() {
    try (RawPeer server =
        RawPeer.server(ConnectionSettings.DEFAULT, Frames.MAX_CONCURRENT_STREAMS, 1)) {
      server.open(POST, true);
      assertThat(server.answer()).isEqualTo("HEADERS 1 end");
      assertThat(server.connection.streams.canOpen()).isFalse();

      server.send(headers(1, END_HEADERS | END_STREAM, ":status", "200"));

      assertThat(server.events.events).containsExactly("ready", "capacity");
    }
  }

  @Test
  void aConnectionThatLeavesClosesWithItsLastStreamThoughNobodyWantsAnother() {
    try (RawPeer server = RawPeer.server(ConnectionSettings.DEFAULT)) {
      RecordingStream call = server.open(POST, true);
      server.send(goAway(1, Http2Error.NO_ERROR));
      assertThat(server.isOpen()).isTrue();

      server.send(headers(1, END_HEADERS | END_STREAM, ":status", "200"));

      assertThat(call.story()).isEqualTo("headers+end");
      assertThat(server.isOpen()).isFalse();
      assertThat(server.events.events).last().isEqualTo("closed: last stream has ended");
    }
  }

  /** A paused app could not send the WINDOW_UPDATE that frees memory. */
  @Test
  void anAppIsPausedForWhatItSentAndNotForWhatItHasYetToTake() {
    var memory = new FakeMemory();
    try (RawPeer client = RawPeer.client(ConnectionSettings.DEFAULT.withMemory(memory))) {
      client.send(settings(Frames.INITIAL_WINDOW_SIZE, 0), wholeRequest(1));
      Http2Stream served = client.events.stream(0).stream();
      served.sendHeaders(OK, false);
      served.sendData(client.buffers.copy(new byte[MIB]), true);
      assertThat(memory.holder().isHeavyByReading(memory.holder().weight())).isFalse();

      served.dropPending();
      client.events.onStream = stream -> stream.holds = true;
      client.send(Frames.request(3));
      client.send(PeerErrorTest.manyData(3, 400_000));
      assertThat(memory.holder().isHeavyByReading(memory.holder().weight())).isTrue();

      memory.holder().pauseReading(true);
      assertThat(client.channel.config().isAutoRead()).isFalse();
      memory.holder().pauseReading(false);
      assertThat(client.channel.config().isAutoRead()).isTrue();
    }
  }
}
