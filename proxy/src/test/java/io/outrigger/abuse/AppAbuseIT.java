package io.outrigger.abuse;

import static io.outrigger.http2.testing.Frames.END_HEADERS;
import static io.outrigger.http2.testing.Frames.END_STREAM;
import static io.outrigger.http2.testing.Frames.REQUEST;
import static io.outrigger.http2.testing.Frames.data;
import static io.outrigger.http2.testing.Frames.frame;
import static io.outrigger.http2.testing.Frames.headers;
import static io.outrigger.http2.testing.Frames.join;
import static io.outrigger.http2.testing.Frames.number;
import static io.outrigger.http2.testing.Frames.ping;
import static io.outrigger.http2.testing.Frames.repeat;
import static io.outrigger.http2.testing.Frames.request;
import static io.outrigger.http2.testing.Frames.requestWith;
import static io.outrigger.http2.testing.Frames.reset;
import static io.outrigger.http2.testing.Frames.settings;
import static io.outrigger.http2.testing.Frames.wholeRequest;
import static io.outrigger.http2.testing.Frames.windowUpdate;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.outrigger.http2.ConnectionSettings.AbuseLimits;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.PeerErrors.Side;
import io.outrigger.http2.testing.AnsweringBackend;
import io.outrigger.http2.testing.Frame;
import io.outrigger.http2.testing.Frames;
import io.outrigger.program.testing.mesh.MiniMesh;
import io.outrigger.testing.Conformance;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Apps that attack, one after the other, a sidecar whose one event loop serves a good neighbour
 * too. After each attack connections, calls on both sides and the memory of buffers are what they
 * were.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
final class AppAbuseIT {
  /** As in a running sidecar. */
  private static final AbuseLimits LIMITS = AbuseLimits.DEFAULT;

  /** Above the limit, and what earns some more. */
  private static final int STEPS = 20_000;

  /** On the wire a quarter of what it counts when it is decoded. */
  private static final byte[] CRUMB = Frames.block("cookie", "");

  private static final String LONG_TEXT = "x".repeat(3000);

  private static final int STEPS_AT_ONCE = 100;

  private final AnsweringBackend backend = new AnsweringBackend();
  private final MiniMesh mesh;
  private final RawApp neighbour;
  private final Footprint before;

  AppAbuseIT() throws Exception {
    mesh = new MiniMesh(LIMITS);
    mesh.leadTo(backend.port());
    neighbour = RawApp.neighbour(mesh.address());
    assertThat(neighbour.call()).isEqualTo("200");
    before = Footprint.of(mesh);
  }

  @BeforeAll
  void warmUp() throws Exception {
    assertThat(neighbour.call()).isEqualTo("200");
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    before.awaitAgain(mesh, backend);
    assertThat(neighbour.call()).isEqualTo("200");
  }

  @AfterAll
  void close() throws IOException {
    neighbour.close();
    mesh.close();
    backend.close();
  }

  /**
   * Repeats {@code step} with new stream ids until the other side has had enough. It reads all the
   * while: a GOAWAY waits behind ten thousand answers.
   */
  private static Optional<Http2Error> flood(RawApp app, IntFunction<byte[]> step) {
    var end =
        CompletableFuture.supplyAsync(
            () -> awaitClose(app), task -> new Thread(task, "reader").start());
    for (int i = 0; i < STEPS / STEPS_AT_ONCE; i++) {
      var burst = new ByteArrayOutputStream();
      IntStream.range(0, STEPS_AT_ONCE).forEach(n -> burst.writeBytes(step.apply(app.nextId())));
      if (!app.wire.send(burst.toByteArray())) {
        break;
      }
    }
    return end.join();
  }

  private static Optional<Http2Error> awaitClose(RawApp app) {
    try {
      return app.wire.awaitClose();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Conformance("SC-48")
  @ParameterizedTest(name = "{0}")
  @MethodSource
  void aFloodEndsItsConnectionWhileTheNeighbourIsServed(String name, IntFunction<byte[]> step)
      throws Exception {
    long floods = Footprint.floods(mesh, Side.APP);
    try (RawApp attacker = RawApp.connect(mesh.address())) {
      attacker.wire.send(request(attacker.nextId())); // stays open: what a flood needs a stream for
      var end = CompletableFuture.supplyAsync(() -> flood(attacker, step));
      do {
        assertThat(neighbour.callInTime()).isEqualTo("200");
        before.checkWhileAttacked();
      } while (!end.isDone());

      assertThat(end.get(60, TimeUnit.SECONDS)).contains(Http2Error.ENHANCE_YOUR_CALM);
      assertThat(Footprint.floods(mesh, Side.APP)).isEqualTo(floods + 1);
    }
  }

  static Stream<Arguments> aFloodEndsItsConnectionWhileTheNeighbourIsServed() {
    byte[] toomuch = Frames.block("a", LONG_TEXT);
    return Stream.of(
        flood("rapid reset", id -> join(wholeRequest(id), reset(id, Http2Error.CANCEL))),
        flood(
            "rapid reset of open requests", id -> join(request(id), reset(id, Http2Error.CANCEL))),
        flood("made to reset by a window of nothing", id -> join(request(id), windowUpdate(id, 0))),
        flood(
            "made to reset by a window too wide",
            id -> join(request(id), windowUpdate(id, Integer.MAX_VALUE))),
        flood(
            "made to reset by DATA after the end",
            id -> join(wholeRequest(id), data(id, 0, (byte) 1))),
        flood("made to reset by a field", id -> requestWith(id, 0, "X", "1")),
        flood(
            "made to reset by content-length",
            id -> join(requestWith(id, 0, "content-length", "1"), data(id, 0, new byte[2]))),
        flood(
            "made to reset by PRIORITY",
            id -> join(request(id), frame(Frames.PRIORITY, 0, id, number(0)))),
        flood("SETTINGS", id -> settings()),
        flood("SETTINGS that change windows", id -> settings(Frames.INITIAL_WINDOW_SIZE, id)),
        flood("SETTINGS ack", id -> Frames.settingsAck()),
        flood("PING", id -> ping(id)),
        flood("empty DATA", id -> data(1, 0)),
        flood("DATA of padding", id -> data(1, Frames.PADDED, (byte) 2, (byte) 0, (byte) 0)),
        flood("WINDOW_UPDATE of the connection", id -> windowUpdate(0, 1)),
        flood("WINDOW_UPDATE of a stream", id -> windowUpdate(1, 1)),
        flood("PRIORITY", id -> frame(Frames.PRIORITY, 0, id, new byte[5])),
        flood("unknown frames", id -> frame(0x42, 0, 0, new byte[100])),
        flood(
            "CONTINUATION without end",
            id -> id == 3 ? headers(3, 0, REQUEST) : frame(Frames.CONTINUATION, 0, 3, toomuch)),
        flood(
            "CONTINUATION without content",
            id -> id == 3 ? headers(3, 0, REQUEST) : frame(Frames.CONTINUATION, 0, 3)),
        flood("header lists too large", id -> bomb(id, 30)));
  }

  private static Arguments flood(String name, IntFunction<byte[]> step) {
    return arguments(name, step);
  }

  /**
   * A request of a few bytes that is {@code times} 3 KiB when it is decoded: a field enters the
   * table and is named again and again.
   */
  private static byte[] bomb(int id, int times) {
    byte[] entry = Frames.block("bomb", LONG_TEXT);
    entry[0] = 0x40; // a literal that enters the table
    byte[] again = new byte[times];
    Arrays.fill(again, (byte) (0x80 | 62)); // the newest entry of the dynamic table
    return frame(
        Frames.HEADERS, END_HEADERS | END_STREAM, id, join(Frames.block(REQUEST), entry, again));
  }

  @Conformance("SC-48")
  @ParameterizedTest
  @EnumSource
  void aMalformedRequestIsResetAndReported(Malformed malformed) throws Exception {
    try (RawApp attacker = RawApp.connect(mesh.address())) {
      long seen = backend.seen();
      long refused = badRequests();
      int id = attacker.nextId();
      attacker.wire.send(headers(id, END_HEADERS, malformed.after(REQUEST)));

      assertThat(attacker.outcome(id)).isEqualTo("RST_STREAM PROTOCOL_ERROR");
      assertThat(backend.seen()).isEqualTo(seen);
      assertThat(badRequests()).isEqualTo(refused + 1);
      assertThat(mesh.loops.peerErrors().takeLast().orElseThrow())
          .contains("request of app 127.0.0.1:", " refused: ", malformed.printableName())
          .doesNotContain(malformed.value());
      assertThat(attacker.call()).isEqualTo("200");
    }
  }

  private long badRequests() {
    return mesh.forward.totals().byLocalReason().getOrDefault("bad_request", 0L);
  }

  @ParameterizedTest
  @EnumSource
  void malformedTrailersResetTheirCall(Malformed malformed) throws Exception {
    try (RawApp attacker = RawApp.connect(mesh.address())) {
      int id = attacker.nextId();
      attacker.wire.send(request(id));
      attacker.wire.send(headers(id, END_HEADERS | END_STREAM, malformed.after("x-b", "b")));

      assertThat(attacker.outcome(id)).isEqualTo("RST_STREAM PROTOCOL_ERROR");
      assertThat(attacker.call()).isEqualTo("200");
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void aRequestLineThatCouldMisleadIsReset(String name, String fields) throws Exception {
    try (RawApp attacker = RawApp.connect(mesh.address())) {
      long seen = backend.seen();
      int id = attacker.nextId();
      attacker.wire.send(headers(id, END_HEADERS, fields.split(" ", -1)));

      assertThat(attacker.outcome(id)).isEqualTo("RST_STREAM PROTOCOL_ERROR");
      assertThat(backend.seen()).isEqualTo(seen);
      assertThat(attacker.call()).isEqualTo("200");
    }
  }

  static Stream<Arguments> aRequestLineThatCouldMisleadIsReset() {
    String rest = " :scheme http :authority pay";
    return Stream.of(
        arguments("no :path", ":method GET" + rest),
        arguments("empty :path", ":method GET :path " + rest),
        arguments("two :path", ":method GET :path /a :path /b" + rest),
        arguments("absolute :path", ":method GET :path http://a/b" + rest),
        arguments("fragment", ":method GET :path /a#b" + rest),
        arguments("control character in :path", ":method GET :path /a\tb" + rest),
        arguments("no :method", ":path /a" + rest),
        arguments("two :method", ":method GET :method POST :path /a" + rest),
        arguments("no :scheme", ":method GET :path /a :authority pay"),
        arguments(":status", ":method GET :path /a :status 200" + rest),
        arguments("user in :authority", ":method GET :path /a :scheme http :authority me@pay"),
        arguments("late :path", ":method GET" + rest + " x-a a :path /a"),
        arguments("two hosts", ":method GET :path /a :scheme http host pay host pay"),
        arguments("CONNECT", ":method CONNECT :authority pay:443"));
  }

  @ParameterizedTest(name = "{0} -> {2}")
  @MethodSource
  void anErrorOfAStreamSparesTheConnection(String name, byte[] frames, String outcome)
      throws Exception {
    try (RawApp attacker = RawApp.connect(mesh.address())) {
      int id = attacker.nextId();
      attacker.wire.send(frames);

      assertThat(attacker.outcome(id)).isEqualTo(outcome);
      assertThat(attacker.call()).isEqualTo("200");
    }
  }

  static Stream<Arguments> anErrorOfAStreamSparesTheConnection() {
    String protocol = "RST_STREAM PROTOCOL_ERROR";
    return Stream.of(
        arguments(
            "content-length below DATA",
            join(requestWith(1, 0, "content-length", "1"), data(1, 0, new byte[2])),
            protocol),
        arguments(
            "content-length above DATA",
            join(requestWith(1, 0, "content-length", "3"), data(1, END_STREAM, new byte[2])),
            protocol),
        arguments(
            "content-length without DATA",
            requestWith(1, END_STREAM, "content-length", "3"),
            protocol),
        arguments(
            "pseudo-header in trailers",
            join(request(1), headers(1, END_HEADERS | END_STREAM, ":path", "/")),
            protocol),
        arguments("HPACK bomb", bomb(1, 30), "431"),
        arguments("HPACK bomb of 30 MB", bomb(1, 10_000), "431"),
        arguments(
            "cookie crumbs",
            join(
                headers(1, END_STREAM, REQUEST),
                frame(Frames.CONTINUATION, END_HEADERS, 1, repeat(1800, CRUMB))),
            "431"),
        arguments(
            "window too wide",
            join(request(1), windowUpdate(1, Integer.MAX_VALUE)),
            "RST_STREAM FLOW_CONTROL_ERROR"),
        arguments(
            "an encoder's table of 4 GB",
            join(settings(Frames.HEADER_TABLE_SIZE, -1), wholeRequest(1)),
            "200"),
        arguments(
            "an encoder without a table",
            join(settings(Frames.HEADER_TABLE_SIZE, 0), wholeRequest(1)),
            "200"));
  }

  @Test
  void aResponseTooLargeForItsReaderCostsTheCallAlone() throws Exception {
    try (RawApp app = RawApp.connect(mesh.address())) {
      int id = app.nextId();
      app.wire.send(join(settings(Frames.MAX_HEADER_LIST_SIZE, 1), wholeRequest(id)));
      assertThat(app.outcome(id)).isEqualTo("503");

      app.wire.send(settings(Frames.MAX_HEADER_LIST_SIZE, 1 << 16));
      assertThat(app.call()).isEqualTo("200");
    }
  }

  @ParameterizedTest(name = "{0} -> {2}")
  @MethodSource
  void anErrorOfTheConnectionEndsIt(String name, byte[] frames, Http2Error error) throws Exception {
    try (RawApp attacker = RawApp.connect(mesh.address())) {
      attacker.wire.send(frames);

      assertThat(attacker.wire.awaitClose()).contains(error);
    }
  }

  static Stream<Arguments> anErrorOfTheConnectionEndsIt() {
    return Stream.of(
        arguments(
            "window too wide", windowUpdate(0, Integer.MAX_VALUE), Http2Error.FLOW_CONTROL_ERROR),
        arguments(
            "initial window too wide",
            settings(Frames.INITIAL_WINDOW_SIZE, Integer.MIN_VALUE),
            Http2Error.FLOW_CONTROL_ERROR),
        arguments(
            "initial window that makes one too wide",
            join(
                request(1),
                windowUpdate(1, 1),
                settings(Frames.INITIAL_WINDOW_SIZE, Integer.MAX_VALUE)),
            Http2Error.FLOW_CONTROL_ERROR),
        arguments(
            "frame of 16 MB", frame(0xff, 0, 0, new byte[1 << 20]), Http2Error.FRAME_SIZE_ERROR),
        arguments(
            "table index 2^28",
            frame(
                Frames.HEADERS, END_HEADERS, 1, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0x7f),
            Http2Error.COMPRESSION_ERROR),
        arguments(
            "table of 1 GB",
            frame(
                Frames.HEADERS,
                END_HEADERS,
                1,
                join(new byte[] {0x3f, -1, -1, -1, 3}, Frames.block(REQUEST))),
            Http2Error.COMPRESSION_ERROR));
  }

  @Test
  void windowsOfZeroForEverHoldNobodyUp() throws Exception {
    try (RawApp attacker = RawApp.connect(mesh.address(), Frames.INITIAL_WINDOW_SIZE, 0)) {
      for (int i = 0; i < 1000; i++) {
        attacker.wire.send(wholeRequest(attacker.nextId()));
      }
      attacker.wire.send(wholeRequest(attacker.nextId()));

      assertThat(attacker.outcome(2001)).isEqualTo("RST_STREAM REFUSED_STREAM");
      for (int i = 0; i < 100; i++) {
        assertThat(neighbour.callInTime()).isEqualTo("200");
      }
    }
  }

  @Test
  void windowsOfOneByteLetOneByteThrough() throws Exception {
    try (RawApp attacker = RawApp.connect(mesh.address(), Frames.INITIAL_WINDOW_SIZE, 1)) {
      attacker.wire.send(wholeRequest(attacker.nextId()));
      var text = new StringBuilder();
      while (text.length() < AnsweringBackend.ANSWER.length()) {
        Frame part = attacker.wire.await(frame -> frame.type() == Frames.DATA);
        assertThat(part.payload()).hasSize(1);
        text.append(part.text());
        attacker.wire.send(windowUpdate(1, 1));
      }

      assertThat(text).hasToString(AnsweringBackend.ANSWER);
    }
  }

  @Test
  void settingsThatChangeUnderWayAreObeyed() throws Exception {
    try (RawApp attacker = RawApp.connect(mesh.address(), Frames.INITIAL_WINDOW_SIZE, 4)) {
      attacker.wire.send(wholeRequest(attacker.nextId()));
      assertThat(attacker.wire.await(frame -> frame.type() == Frames.DATA).payload()).hasSize(4);

      attacker.wire.send(settings(Frames.INITIAL_WINDOW_SIZE, 0)); // the window is -4 now
      attacker.wire.send(windowUpdate(1, 4));
      attacker.wire.send(ping(1));
      Frame answer = attacker.wire.await(frame -> frame.type() != Frames.SETTINGS);
      assertThat(answer.type()).isEqualTo(Frames.PING);

      attacker.wire.send(
          settings(Frames.INITIAL_WINDOW_SIZE, 1 << 20, Frames.MAX_FRAME_SIZE, 1 << 20));
      Frame rest = attacker.wire.await(frame -> frame.type() == Frames.DATA);
      assertThat(new String(rest.payload(), StandardCharsets.US_ASCII))
          .isEqualTo(AnsweringBackend.ANSWER.substring(4));
    }
  }
}
