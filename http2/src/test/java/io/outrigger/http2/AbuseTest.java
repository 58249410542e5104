package io.outrigger.http2;

import static io.outrigger.http2.testing.Frames.data;
import static io.outrigger.http2.testing.Frames.frame;
import static io.outrigger.http2.testing.Frames.join;
import static io.outrigger.http2.testing.Frames.ping;
import static io.outrigger.http2.testing.Frames.request;
import static io.outrigger.http2.testing.Frames.requestWith;
import static io.outrigger.http2.testing.Frames.reset;
import static io.outrigger.http2.testing.Frames.settings;
import static io.outrigger.http2.testing.Frames.wholeRequest;
import static io.outrigger.http2.testing.Frames.windowUpdate;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.ConnectionSettings.AbuseLimits;
import io.outrigger.http2.testing.Frames;
import java.time.Duration;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Peers that cause useless work (CVE-2023-44487, CVE-2025-8671, CVE-2019-9511 to 9518). */
final class AbuseTest {
  private static final ConnectionSettings SETTINGS =
      ConnectionSettings.DEFAULT.withAbuse(
          new AbuseLimits(Duration.ofSeconds(30), 100, 200, 64, 1 << 20));

  @ParameterizedTest(name = "{0}")
  @MethodSource("floods")
  void aFloodEndsWithEnhanceYourCalm(String name, IntFunction<byte[]> step) {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      peer.send(request(1));
      int steps = 0;
      while (peer.isOpen() && steps < 400) {
        peer.send(step.apply(3 + 2 * steps));
        steps++;
      }

      assertThat(peer.answer()).endsWith("ENHANCE_YOUR_CALM");
      assertThat(steps).isBetween(100, 230);
      assertThat(peer.events.stream(0).story()).endsWith("lost");
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("floods")
  void theSameAtALeisurelyPaceIsTolerated(String name, IntFunction<byte[]> step) {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      peer.send(request(1));
      for (int i = 0; i < 400; i++) {
        peer.send(step.apply(3 + 2 * i));
        peer.advance(Duration.ofSeconds(1));
        var unused = peer.read();
      }

      assertThat(peer.isOpen()).isTrue();
    }
  }

  static Stream<Arguments> floods() {
    return Stream.of(
        flood("rapid reset", id -> join(wholeRequest(id), reset(id, Http2Error.CANCEL))),
        flood("resets provoked by errors", id -> requestWith(id, 0, "X", "1")),
        flood("resets provoked by windows", id -> join(request(id), windowUpdate(id, 0))),
        flood("PING", id -> ping(id)),
        flood("SETTINGS", id -> settings()),
        flood("SETTINGS ack", id -> Frames.settingsAck()),
        flood("empty DATA", id -> data(1, 0)),
        flood("padding only", id -> data(1, FrameType.FLAG_PADDED, (byte) 2, (byte) 0, (byte) 0)),
        flood("PRIORITY", id -> frame(FrameType.PRIORITY, 0, id, new byte[5])),
        flood("WINDOW_UPDATE", id -> windowUpdate(0, 1)),
        flood("unknown frames", id -> frame(0x42, 0, 0, new byte[3])));
  }

  private static Arguments flood(String name, IntFunction<byte[]> step) {
    return Arguments.of(name, step);
  }

  @Test
  void resetsAmongManyMoreFinishedCallsAreTolerated() {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      for (int id = 1; id < 2000; id += 2) {
        peer.send(wholeRequest(id));
        if (id % 3 == 0) {
          peer.send(reset(id, Http2Error.CANCEL));
        } else {
          peer.events.stream(id / 2).stream().sendHeaders(Messages.OK, true);
        }
        var unused = peer.read();
      }

      assertThat(peer.isOpen()).isTrue();
      assertThat(peer.connection.activeStreams()).isZero();
    }
  }

  /**
   * A backend that does not respond, and deadlines of 50 ms: the app resets each call that times
   * out.
   */
  @Test
  void resetsOfCallsWhoseTimeIsUpAreTolerated() {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      peer.events.onStream = stream -> stream.timeUp = true;
      for (int id = 1; id < 2000; id += 2) {
        peer.send(wholeRequest(id), reset(id, Http2Error.CANCEL));
      }

      assertThat(peer.isOpen()).isTrue();
      assertThat(peer.connection.activeStreams()).isZero();
    }
  }

  /** The response, for example DEADLINE_EXCEEDED, crosses the reset. */
  @Test
  void resetsOfCallsThatAreAnsweredAreTolerated() {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      for (int id = 1; id < 2000; id += 2) {
        peer.send(wholeRequest(id));
        peer.events.stream(id / 2).stream().sendHeaders(Messages.OK, true);
        peer.send(reset(id, Http2Error.CANCEL));
        var unused = peer.read();
      }

      assertThat(peer.isOpen()).isTrue();
    }
  }

  /** RFC 9113 section 5.1: only DATA that was in flight is ignored. */
  @Test
  void dataOnAResetStreamEndsWithEnhanceYourCalm() {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      peer.send(request(1));
      peer.events.stream(0).stream().reset(Http2Error.CANCEL);
      int frames = 0;
      while (peer.isOpen() && frames < 4000) {
        peer.send(data(1, 0, (byte) 1));
        var unused = peer.read();
        frames++;
      }

      assertThat(frames).isBetween(1024, 1300); // one per KiB of the stream's window, and 208
    }
  }

  @Test
  void dataThatIsUnderWayOnResetStreamsIsTolerated() {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      for (int id = 1; id < 41; id += 2) {
        peer.send(request(id));
        peer.events.stream(id / 2).stream().reset(Http2Error.CANCEL);
        for (int i = 0; i < 64; i++) {
          peer.send(data(id, 0, new byte[16_384]));
        }
        var unused = peer.read();
      }

      assertThat(peer.isOpen()).isTrue();
    }
  }

  @Test
  void windowUpdatesThatLetContentPassAreTolerated() {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      peer.send(settings(FrameType.SETTINGS_INITIAL_WINDOW_SIZE, 0), wholeRequest(1));
      Http2Stream served = peer.events.stream(0).stream();
      served.sendHeaders(Messages.OK, false);
      served.sendData(peer.buffers.copy(new byte[3000]), true);
      for (int i = 0; i < 3000; i++) {
        peer.send(windowUpdate(1, 1), windowUpdate(0, 1));
        var unused = peer.read();
      }

      assertThat(peer.events.stream(0).sent).isEqualTo(3000);
      assertThat(peer.isOpen()).isTrue();
    }
  }

  /**
   * One DATA byte offsets eight control frames, but not eight changes of the windows of 100
   * streams.
   */
  @Test
  void settingsThatMoveManyWindowsEndWithEnhanceYourCalm() {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      for (int id = 1; id < 200; id += 2) {
        peer.send(request(id));
      }
      int changes = 0;
      while (peer.isOpen() && changes < 200) {
        peer.send(
            data(1, 0, (byte) 1),
            settings(FrameType.SETTINGS_INITIAL_WINDOW_SIZE, 65_000 + changes % 2));
        changes++;
      }

      assertThat(peer.answer()).endsWith("ENHANCE_YOUR_CALM");
      assertThat(changes).isBetween(8, 12); // 200, and 8 for each request
    }
  }

  /** DATA waits on all streams: each change of the windows releases 100 frames of one byte. */
  @Test
  void settingsThatReleaseTinyFramesOfManyStreamsEndWithEnhanceYourCalm() {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      peer.send(settings(FrameType.SETTINGS_INITIAL_WINDOW_SIZE, 0));
      for (int id = 1; id < 200; id += 2) {
        peer.send(wholeRequest(id));
        Http2Stream served = peer.events.stream(id / 2).stream();
        served.sendHeaders(Messages.OK, false);
        served.sendData(peer.buffers.copy(new byte[3000]), true);
      }
      int changes = 0;
      while (peer.isOpen() && changes < 200) {
        changes++;
        peer.send(settings(FrameType.SETTINGS_INITIAL_WINDOW_SIZE, changes));
        var unused = peer.read();
      }

      assertThat(changes).isLessThan(10);
    }
  }

  @Test
  void settingsThatMoveNoWindowCostTheSameHoweverManyStreamsThereAre() {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      for (int id = 1; id < 200; id += 2) {
        peer.send(request(id));
      }
      for (int i = 0; i < 100; i++) {
        peer.send(settings(), settings(FrameType.SETTINGS_INITIAL_WINDOW_SIZE, 65_535));
        var unused = peer.read();
      }

      assertThat(peer.isOpen()).isTrue();
    }
  }

  @Test
  void aServerWhoseGoAwaysAreComparedWithManyStreamsEndsWithEnhanceYourCalm() {
    try (RawPeer peer = RawPeer.server(SETTINGS)) {
      for (int i = 0; i < 100; i++) {
        var unused = peer.open(Messages.POST, false);
      }
      int frames = 0;
      while (peer.isOpen() && frames < 200) {
        peer.send(Frames.goAway(1000, Http2Error.NO_ERROR));
        frames++;
      }

      assertThat(frames).isLessThan(20);
    }
  }

  @Test
  void aServerMayResetAsManyOfOurStreamsAsItLikes() {
    try (RawPeer peer = RawPeer.server(SETTINGS)) {
      for (int id = 1; id < 1000; id += 2) {
        RecordingStream call = peer.open(Messages.POST, false);
        peer.send(reset(id, Http2Error.REFUSED_STREAM));
        assertThat(call.story()).isEqualTo("reset by peer REFUSED_STREAM");
      }

      assertThat(peer.isOpen()).isTrue();
    }
  }

  @Test
  void answersToCallsThatWeGaveUpLongAgoAreIgnored() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT)) {
      for (int i = 0; i < 1000; i++) {
        peer.open(Messages.POST, true).stream().reset(Http2Error.CANCEL);
      }
      var unused = peer.read();

      peer.send(Frames.headers(1, Frames.END_HEADERS, ":status", "200"), data(1, 0, (byte) 1));
      peer.send(Frames.headers(1999, Frames.END_HEADERS, ":status", "200"), ping(1));

      assertThat(peer.answer()).isEqualTo("PING ack");
    }
  }

  /** An app that cancels often must not end the connection that it shares with others. */
  @Test
  void answersToManyCallsThatWeGaveUpAreNoFlood() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT)) {
      for (int id = 1; id < 24_000; id += 2) {
        peer.open(Messages.POST, true).stream().reset(Http2Error.CANCEL);
        peer.send(Frames.headers(id, Frames.END_HEADERS, ":status", "200"));
        peer.send(Frames.headers(id, Frames.END_HEADERS | Frames.END_STREAM, "grpc-status", "0"));
        peer.send(Frames.windowUpdate(id, 1));
        if (id % ResetFence.STEP == 1) {
          peer.send(Frames.settingsAck());
        }
      }

      assertThat(peer.isOpen()).isTrue();
    }
  }

  @Test
  void controlFramesThatGoWithContentAreTolerated() {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      peer.send(request(1));
      for (int i = 0; i < 2000; i++) {
        peer.send(data(1, 0, new byte[10]), ping(i), windowUpdate(1, 1), windowUpdate(0, 1));
        var unused = peer.read();
      }

      assertThat(peer.isOpen()).isTrue();
    }
  }
}
