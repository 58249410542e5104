package io.outrigger.http2;

import static io.outrigger.http2.testing.Frames.END_HEADERS;
import static io.outrigger.http2.testing.Frames.END_STREAM;
import static io.outrigger.http2.testing.Frames.data;
import static io.outrigger.http2.testing.Frames.frame;
import static io.outrigger.http2.testing.Frames.headers;
import static io.outrigger.http2.testing.Frames.join;
import static io.outrigger.http2.testing.Frames.number;
import static io.outrigger.http2.testing.Frames.ping;
import static io.outrigger.http2.testing.Frames.request;
import static io.outrigger.http2.testing.Frames.requestWith;
import static io.outrigger.http2.testing.Frames.reset;
import static io.outrigger.http2.testing.Frames.settings;
import static io.outrigger.http2.testing.Frames.wholeRequest;
import static io.outrigger.http2.testing.Frames.windowUpdate;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.ConnectionSettings.Windows;
import io.outrigger.http2.testing.Frames;
import io.outrigger.testing.Conformance;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The result of each error of a client: a stream error or a connection error. */
final class PeerErrorTest {
  private static final ConnectionSettings SETTINGS =
      ConnectionSettings.DEFAULT
          .withWindows(new Windows(100_000, 100_000, 150_000))
          .withMaxHeaderListBytes(2000);

  @ParameterizedTest(name = "{0} -> {2}")
  @MethodSource
  void streamErrorsSpareTheConnection(String name, byte[] bytes, String answer) {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      peer.events.onStream = stream -> stream.holds = true;
      peer.send(bytes);

      assertThat(peer.answer()).isEqualTo(answer);
      assertThat(peer.events.streams)
          .allSatisfy(stream -> assertThat(stream.story()).doesNotContain("end"));

      peer.send(wholeRequest(101), ping(1));
      assertThat(peer.answer()).isEqualTo("PING ack");
      assertThat(peer.events.stream(peer.events.streams.size() - 1).story())
          .isEqualTo("headers+end");
      assertThat(peer.connection.activeStreams()).isEqualTo(1);
    }
  }

  static Stream<Arguments> streamErrorsSpareTheConnection() {
    String large = "x".repeat(2100);
    return Stream.of(
        arguments(
            "upper-case name", requestWith(1, 0, "X-Name", "1"), "RST_STREAM 1 PROTOCOL_ERROR"),
        arguments(
            "connection field",
            requestWith(1, END_STREAM, "connection", "close"),
            "RST_STREAM 1 PROTOCOL_ERROR"),
        arguments(
            "content-length above DATA",
            join(requestWith(1, 0, "content-length", "5"), data(1, END_STREAM, bytes("1234"))),
            "RST_STREAM 1 PROTOCOL_ERROR"),
        arguments(
            "content-length below DATA",
            join(requestWith(1, 0, "content-length", "3"), data(1, 0, bytes("1234"))),
            "RST_STREAM 1 PROTOCOL_ERROR"),
        arguments(
            "content-length without DATA",
            requestWith(1, END_STREAM, "content-length", "3"),
            "RST_STREAM 1 PROTOCOL_ERROR"),
        arguments(
            "trailers that do not end",
            join(request(1), headers(1, END_HEADERS, "a", "b")),
            "RST_STREAM 1 PROTOCOL_ERROR"),
        arguments(
            "pseudo-header in trailers",
            join(request(1), headers(1, END_HEADERS | END_STREAM, ":path", "/")),
            "RST_STREAM 1 PROTOCOL_ERROR"),
        arguments(
            "trailers too large",
            join(request(1), headers(1, END_HEADERS | END_STREAM, "a", large)),
            "RST_STREAM 1 ENHANCE_YOUR_CALM"),
        arguments(
            "DATA on a stream that was passed over",
            join(request(3), reset(3, Http2Error.CANCEL), data(1, 0, (byte) 1)),
            "RST_STREAM 1 STREAM_CLOSED"),
        arguments(
            "DATA beyond the stream's window",
            join(request(1), manyData(1, 100_001)),
            "WINDOW_UPDATE 0 80000, RST_STREAM 1 FLOW_CONTROL_ERROR"),
        arguments(
            "WINDOW_UPDATE of nothing",
            join(request(1), windowUpdate(1, 0)),
            "RST_STREAM 1 PROTOCOL_ERROR"),
        arguments(
            "window above 2^31-1",
            join(request(1), windowUpdate(1, Integer.MAX_VALUE)),
            "RST_STREAM 1 FLOW_CONTROL_ERROR"),
        arguments(
            "PRIORITY of wrong size",
            join(request(1), frame(FrameType.PRIORITY, 0, 1, number(0))),
            "RST_STREAM 1 FRAME_SIZE_ERROR"),
        arguments(
            "list too large",
            requestWith(1, 0, "a", large),
            "HEADERS 1 end, RST_STREAM 1 NO_ERROR"),
        arguments(
            "list too large by cookie crumbs",
            requestWith(1, END_STREAM, repeated(60, "cookie", "a")),
            "HEADERS 1 end"),
        arguments(
            "list too large over CONTINUATION",
            join(
                headers(1, END_STREAM, Frames.REQUEST),
                frame(FrameType.CONTINUATION, 0, 1, Frames.block("a", large)),
                frame(FrameType.CONTINUATION, END_HEADERS, 1, Frames.block("b", large))),
            "HEADERS 1 end"),
        arguments(
            "late DATA after an error",
            join(requestWith(1, 0, "X", "1"), data(1, 0, bytes("1")), data(1, END_STREAM)),
            "RST_STREAM 1 PROTOCOL_ERROR"),
        arguments(
            "late trailers after an error",
            join(requestWith(1, 0, "X", "1"), headers(1, END_HEADERS | END_STREAM, "a", "b")),
            "RST_STREAM 1 PROTOCOL_ERROR"));
  }

  @ParameterizedTest(name = "{0} -> {2}")
  @MethodSource
  void connectionErrorsEndTheConnection(String name, byte[] bytes, String error) {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      peer.events.onStream = stream -> stream.holds = true;
      peer.send(bytes, ping(1));

      assertThat(peer.answer()).endsWith(error).contains("GOAWAY").doesNotContain("PING");
      assertThat(peer.isOpen()).isFalse();
      assertThat(peer.events.events).hasSize(2).last().asString().startsWith("closed: ");
      assertThat(peer.events.streams)
          .allSatisfy(stream -> assertThat(stream.over || stream.story().endsWith("end")).isTrue());
    }
  }

  static Stream<Arguments> connectionErrorsEndTheConnection() {
    byte[] large = new byte[16_385];
    return Stream.of(
        arguments("DATA on an idle stream", data(1, 0), "GOAWAY 0 PROTOCOL_ERROR"),
        arguments("DATA without a stream", data(0, 0), "GOAWAY 0 PROTOCOL_ERROR"),
        arguments("HEADERS without a stream", request(0), "GOAWAY 0 PROTOCOL_ERROR"),
        arguments("HEADERS on an even stream", request(2), "GOAWAY 0 PROTOCOL_ERROR"),
        arguments(
            "HEADERS on a stream passed over",
            join(request(5), request(3)),
            "GOAWAY 5 PROTOCOL_ERROR"),
        arguments(
            "HEADERS on a stream that was reset by its owner",
            join(request(1), reset(1, Http2Error.CANCEL), request(1)),
            "GOAWAY 1 STREAM_CLOSED"),
        arguments("frame too large", data(0, 0, large), "GOAWAY 0 FRAME_SIZE_ERROR"),
        arguments(
            "padding above the frame",
            join(request(1), data(1, FrameType.FLAG_PADDED, bytes("\u0005abc"))),
            "GOAWAY 1 PROTOCOL_ERROR"),
        arguments(
            "HEADERS interrupted by PING",
            join(headers(1, 0, Frames.REQUEST), ping(1)),
            "PROTOCOL_ERROR"),
        arguments(
            "HEADERS interrupted by an unknown frame",
            join(headers(1, 0, Frames.REQUEST), frame(0x77, 0, 1)),
            "PROTOCOL_ERROR"),
        arguments(
            "CONTINUATION of another stream",
            join(headers(1, 0, Frames.REQUEST), frame(FrameType.CONTINUATION, END_HEADERS, 3)),
            "PROTOCOL_ERROR"),
        arguments(
            "CONTINUATION alone", frame(FrameType.CONTINUATION, END_HEADERS, 1), "PROTOCOL_ERROR"),
        arguments(
            "block that cannot be decoded",
            frame(FrameType.HEADERS, END_HEADERS, 1, (byte) 0xff, (byte) 0xff),
            "COMPRESSION_ERROR"),
        arguments(
            "PRIORITY on itself",
            frame(FrameType.PRIORITY, 0, 3, join(number(1 << 31 | 3), new byte[1])),
            "PROTOCOL_ERROR"),
        arguments(
            "HEADERS that depend on themselves",
            frame(
                FrameType.HEADERS,
                END_HEADERS | FrameType.FLAG_PRIORITY,
                1,
                join(number(1), new byte[1], Frames.block(Frames.REQUEST))),
            "PROTOCOL_ERROR"),
        arguments("RST_STREAM on an idle stream", reset(1, Http2Error.CANCEL), "PROTOCOL_ERROR"),
        arguments(
            "RST_STREAM of wrong size",
            join(request(1), frame(FrameType.RST_STREAM, 0, 1)),
            "FRAME_SIZE_ERROR"),
        arguments("WINDOW_UPDATE on an idle stream", windowUpdate(1, 1), "PROTOCOL_ERROR"),
        arguments("WINDOW_UPDATE of nothing", windowUpdate(0, 0), "PROTOCOL_ERROR"),
        arguments("window above 2^31-1", windowUpdate(0, Integer.MAX_VALUE), "FLOW_CONTROL_ERROR"),
        arguments("SETTINGS on a stream", frame(FrameType.SETTINGS, 0, 1), "PROTOCOL_ERROR"),
        arguments(
            "SETTINGS of wrong size",
            frame(FrameType.SETTINGS, 0, 0, number(1)),
            "FRAME_SIZE_ERROR"),
        arguments(
            "SETTINGS ack with content",
            frame(FrameType.SETTINGS, FrameType.FLAG_ACK, 0, new byte[6]),
            "FRAME_SIZE_ERROR"),
        arguments("ENABLE_PUSH of 2", settings(2, 2), "PROTOCOL_ERROR"),
        arguments("INITIAL_WINDOW_SIZE of 2^31", settings(4, 1 << 31), "FLOW_CONTROL_ERROR"),
        arguments(
            "INITIAL_WINDOW_SIZE that overflows a stream",
            join(request(1), windowUpdate(1, 1), settings(4, Integer.MAX_VALUE)),
            "FLOW_CONTROL_ERROR"),
        arguments("MAX_FRAME_SIZE of 100", settings(5, 100), "PROTOCOL_ERROR"),
        arguments("PING of wrong size", frame(FrameType.PING, 0, 0, number(1)), "FRAME_SIZE_ERROR"),
        arguments("PING on a stream", frame(FrameType.PING, 0, 1, new byte[8]), "PROTOCOL_ERROR"),
        arguments("GOAWAY too short", frame(FrameType.GOAWAY, 0, 0, number(1)), "FRAME_SIZE_ERROR"),
        arguments(
            "PUSH_PROMISE by a client",
            join(request(1), frame(FrameType.PUSH_PROMISE, END_HEADERS, 1, number(2))),
            "PROTOCOL_ERROR"),
        arguments(
            "header block without end",
            join(
                headers(1, 0, Frames.REQUEST),
                Frames.repeat(20, frame(FrameType.CONTINUATION, 0, 1, new byte[16_000]))),
            "ENHANCE_YOUR_CALM"),
        arguments(
            "CONTINUATION without content",
            join(
                headers(1, 0, Frames.REQUEST),
                Frames.repeat(100, frame(FrameType.CONTINUATION, 0, 1))),
            "ENHANCE_YOUR_CALM"));
  }

  @Conformance("SC-29")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "connection",
        "keep-alive",
        "proxy-connection",
        "transfer-encoding",
        "upgrade",
        "te"
      })
  void fieldsOfAConnectionAreNeverPassedOn(String name) {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(requestWith(1, END_STREAM, name, "chunked"));
      peer.send(requestWith(3, END_STREAM, "te", "trailers"));

      assertThat(peer.answer()).isEqualTo("RST_STREAM 1 PROTOCOL_ERROR");
      assertThat(peer.events.streams).hasSize(1);
      assertThat(peer.events.stream(0).headers.get(0).toString()).endsWith("te=trailers");
    }
  }

  /** RFC 9110 section 6.4.1; a content-length in the head is permitted. */
  @ParameterizedTest
  @CsvSource({"POST, 204", "POST, 304", "HEAD, 200"})
  void contentOfAResponseThatHasNoneResetsTheStream(String method, String status) {
    try (RawPeer peer = RawPeer.server(SETTINGS)) {
      RecordingStream call = peer.open(Messages.request(method, "/a"), true);
      RecordingStream other = peer.open(Messages.request(method, "/a"), true);
      var unused = peer.read();
      for (int id : new int[] {1, 3}) {
        peer.send(headers(id, END_HEADERS, ":status", status, "content-length", "5"));
      }

      peer.send(data(1, 0, bytes("12345")), data(3, END_STREAM));

      assertThat(peer.answer()).isEqualTo("RST_STREAM 1 PROTOCOL_ERROR");
      assertThat(call.story()).isEqualTo("headers reset PROTOCOL_ERROR");
      assertThat(other.story()).isEqualTo("headers data+end");
    }
  }

  @Test
  void headersAfterTheEndOfAStreamThatIsStillAnsweredResetIt() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(wholeRequest(1), headers(1, END_HEADERS | END_STREAM, "a", "b"));

      assertThat(peer.answer()).isEqualTo("RST_STREAM 1 STREAM_CLOSED");
      assertThat(peer.events.stream(0).story()).isEqualTo("headers+end reset STREAM_CLOSED");
    }
  }

  @Test
  void dataOnAStreamThatHasEndedIsRefusedAndItsCreditReturned() {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      peer.send(wholeRequest(1));
      peer.events.stream(0).stream().sendHeaders(Messages.OK, true);
      peer.send(manyData(1, 80_000));

      assertThat(peer.answer())
          .isEqualTo("HEADERS 1 end, RST_STREAM 1 STREAM_CLOSED, WINDOW_UPDATE 0 80000");
    }
  }

  static byte[] manyData(int streamId, int bytes) {
    byte[] all = new byte[0];
    for (int left = bytes; left > 0; left -= 16_000) {
      all = join(all, data(streamId, 0, new byte[Math.min(left, 16_000)]));
    }
    return all;
  }

  private static String[] repeated(int times, String name, String value) {
    return Stream.generate(() -> Stream.of(name, value))
        .limit(times)
        .flatMap(pair -> pair)
        .toArray(String[]::new);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static Arguments arguments(String name, byte[] bytes, String answer) {
    return Arguments.of(name, bytes, answer);
  }
}
