package io.outrigger.http2;

import static io.outrigger.http2.Messages.OK;
import static io.outrigger.http2.Messages.POST;
import static io.outrigger.http2.testing.Frames.END_HEADERS;
import static io.outrigger.http2.testing.Frames.END_STREAM;
import static io.outrigger.http2.testing.Frames.data;
import static io.outrigger.http2.testing.Frames.goAway;
import static io.outrigger.http2.testing.Frames.headers;
import static io.outrigger.http2.testing.Frames.ping;
import static io.outrigger.http2.testing.Frames.request;
import static io.outrigger.http2.testing.Frames.requestWith;
import static io.outrigger.http2.testing.Frames.wholeRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.outrigger.http2.ConnectionSettings.AbuseLimits;
import io.outrigger.http2.ConnectionSettings.Windows;
import io.outrigger.http2.testing.Frames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The effects of frames on a stream in each of its states, and frames that count as useless work.
 */
final class InboundFramesTest {
  private static final int IDLE_FRAMES = 200;
  private static final ConnectionSettings SETTINGS =
      ConnectionSettings.DEFAULT
          .withMaxHeaderListBytes(2_000)
          .withAbuse(new AbuseLimits(Duration.ofSeconds(30), 100, IDLE_FRAMES, 64, 1 << 20));

  private static final String LARGE = "x".repeat(2_100);

  /** Sends {@code frame} until the connection ends, and returns the number of frames sent. */
  private static int flood(RawPeer peer, byte[] frame) {
    int sent = 0;
    while (peer.isOpen() && sent < 2 * IDLE_FRAMES) {
      peer.send(frame);
      sent++;
    }
    return sent;
  }

  @Test
  void dataBehindTheEndResetsTheStreamThatIsStillAnswered() {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      peer.send(wholeRequest(1), data(1, 0, (byte) 1));

      assertThat(peer.answer()).isEqualTo("RST_STREAM 1 STREAM_CLOSED");
      assertThat(peer.events.stream(0).story()).isEqualTo("headers+end reset STREAM_CLOSED");
    }
  }

  @Test
  void dataBeforeTheHeadOfAResponseResetsTheStream() {
    try (RawPeer peer = RawPeer.server(SETTINGS)) {
      RecordingStream call = peer.open(POST, true);
      peer.send(data(1, 0, (byte) 1));

      assertThat(peer.answer()).isEqualTo("HEADERS 1 end, RST_STREAM 1 PROTOCOL_ERROR");
      assertThat(call.story()).isEqualTo("reset PROTOCOL_ERROR");
    }
  }

  @Test
  void aRequestMaySayThatItHasNoContent() {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      peer.send(requestWith(1, END_STREAM, "content-length", "0"));

      assertThat(peer.answer()).isEmpty();
      assertThat(peer.events.stream(0).story()).isEqualTo("headers+end");
    }
  }

  @Test
  void aRequestThatIsAnsweredAtOnceIsOver() {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      peer.events.onStream = served -> served.stream().sendHeaders(OK, false);
      peer.send(wholeRequest(1));
      assertThat(peer.connection.activeStreams()).isEqualTo(1);
      peer.events.stream(0).stream().sendHeaders(Messages.TRAILERS, true);
      assertThat(peer.connection.activeStreams()).isZero();

      peer.events.onStream = served -> served.stream().sendHeaders(OK, true);
      peer.send(wholeRequest(3));
      assertThat(peer.connection.activeStreams()).isZero();
      assertThat(peer.answer()).isEqualTo("HEADERS 1, HEADERS 1 end, HEADERS 3 end");
    }
  }

  /** Section 8.1.1: trailers end the content like END_STREAM on DATA. */
  @Test
  void trailersBeforeAllContentThatWasPromisedResetTheStream() {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      peer.send(requestWith(1, 0, "content-length", "5"), data(1, 0, new byte[4]));
      peer.send(headers(1, END_HEADERS | END_STREAM, "a", "b"));
      assertThat(peer.answer()).isEqualTo("RST_STREAM 1 PROTOCOL_ERROR");
      assertThat(peer.events.stream(0).story()).isEqualTo("headers data reset PROTOCOL_ERROR");

      peer.send(requestWith(3, 0, "content-length", "5"), data(3, 0, new byte[5]));
      peer.send(headers(3, END_HEADERS | END_STREAM, "a", "b"));
      assertThat(peer.answer()).isEmpty();
      assertThat(peer.events.stream(1).story()).isEqualTo("headers data headers+end");
    }
  }

  @Test
  void aResponseThatEndsWithoutTheContentThatItPromisesResetsTheStream() {
    try (RawPeer peer = RawPeer.server(SETTINGS)) {
      RecordingStream empty = peer.open(POST, true);
      RecordingStream whole = peer.open(POST, true);
      var unused = peer.read();

      peer.send(
          headers(1, END_HEADERS | END_STREAM, ":status", "200", "content-length", "5"),
          headers(3, END_HEADERS, ":status", "200", "content-length", "5"),
          data(3, END_STREAM, new byte[5]));

      assertThat(peer.answer()).isEqualTo("RST_STREAM 1 PROTOCOL_ERROR");
      assertThat(empty.story()).isEqualTo("reset PROTOCOL_ERROR");
      assertThat(whole.story()).isEqualTo("headers data+end");
    }
  }

  @Test
  void theHandlerHearsWhichFieldsFitWhenARequestHasTooMany() {
    List<String> heard = new ArrayList<>();
    var buffers = new CountedBuffers();
    EmbeddedChannel channel =
        buffers.channel(
            new EmbeddedChannel(), Http2Connection.server(SETTINGS, made -> new TooLarge(heard)));

    channel.writeInbound(
        Unpooled.wrappedBuffer(
            Frames.PREFACE,
            Frames.settings(),
            requestWith(1, 0, "a", LARGE),
            requestWith(3, END_STREAM, "a", LARGE)));

    assertThat(heard).containsExactly("POST", "POST end");
    channel.finishAndReleaseAll();
    buffers.checkAllReleased();
  }

  /** Records the requests whose header list is too large. */
  private static final class TooLarge extends RecordingConnection {
    private final List<String> heard;

    TooLarge(List<String> heard) {
      this.heard = heard;
    }

    @Override
    public StreamHandler onStream(Http2Stream stream) {
      return new RecordingStream() {
        @Override
        public void onTooLarge(HeaderList fitting, boolean endStream) {
          heard.add(fitting.get(KnownName.METHOD) + (endStream ? " end" : ""));
        }
      };
    }
  }

  /**
   * The content of the rejected request is still in flight, and must not count as DATA before a
   * head.
   */
  @Test
  void theBodyOfARequestWithTooManyFieldsComesWhileItsAnswerLasts() {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      peer.events.onStream = served -> served.stream().sendHeaders(OK, true);
      peer.send(requestWith(1, 0, "a", LARGE), data(1, END_STREAM, new byte[5]));

      assertThat(peer.answer()).isEqualTo("HEADERS 1 end");
      assertThat(peer.events.stream(0).story()).isEqualTo("data+end");
      assertThat(peer.connection.activeStreams()).isZero();
    }
  }

  @Test
  void headersOnAStreamThatWeHaveResetAreNoWork() {
    try (RawPeer peer = RawPeer.client(SETTINGS.withWindows(new Windows(0, 0, 65_535)))) {
      peer.send(request(1));
      peer.events.stream(0).stream().reset(Http2Error.CANCEL);

      int sent = flood(peer, headers(1, END_HEADERS | END_STREAM, "a", "b"));

      assertThat(peer.answer()).isEqualTo("RST_STREAM 1 CANCEL, GOAWAY 1 ENHANCE_YOUR_CALM");
      assertThat(sent).isBetween(IDLE_FRAMES - 10, IDLE_FRAMES + 90);
    }
  }

  @Test
  void interimResponsesDoNotGoOnForEver() {
    try (RawPeer peer = RawPeer.server(SETTINGS)) {
      RecordingStream call = peer.open(POST, true);

      int sent = flood(peer, headers(1, END_HEADERS, ":status", "103"));

      assertThat(peer.answer()).endsWith("GOAWAY 0 ENHANCE_YOUR_CALM");
      assertThat(sent).isBetween(IDLE_FRAMES - 10, IDLE_FRAMES + 20);
      assertThat(call.story()).endsWith("headers lost");
    }
  }

  @Test
  void goAwayIsNotSaidForEver() {
    try (RawPeer peer = RawPeer.server(SETTINGS)) {
      RecordingStream call = peer.open(POST, true);

      int sent = flood(peer, goAway(1, Http2Error.NO_ERROR));

      assertThat(peer.answer()).endsWith("GOAWAY 0 ENHANCE_YOUR_CALM");
      assertThat(sent).isBetween(IDLE_FRAMES - 10, IDLE_FRAMES + 20);
      assertThat(call.story()).isEqualTo("lost");
    }
  }

  @Test
  void aServerThatAnswersMayAskUsEightTimesForEachAnswer() {
    try (RawPeer peer = RawPeer.server(SETTINGS)) {
      for (int id = 1; id < 2 * IDLE_FRAMES; id += 2) {
        RecordingStream call = peer.open(POST, true);
        peer.send(headers(id, END_HEADERS | END_STREAM, ":status", "200"));
        for (int i = 0; i < 8; i++) {
          peer.send(ping(i));
        }
        assertThat(call.story()).isEqualTo("headers+end");
        var unused = peer.read();
      }

      assertThat(peer.isOpen()).isTrue();
    }
  }
}
