package io.outrigger.abuse;

import static io.outrigger.http2.testing.Frames.END_HEADERS;
import static io.outrigger.http2.testing.Frames.END_STREAM;
import static io.outrigger.http2.testing.Frames.ascii;
import static io.outrigger.http2.testing.Frames.data;
import static io.outrigger.http2.testing.Frames.frame;
import static io.outrigger.http2.testing.Frames.headers;
import static io.outrigger.http2.testing.Frames.join;
import static io.outrigger.http2.testing.Frames.number;
import static io.outrigger.http2.testing.Frames.ping;
import static io.outrigger.http2.testing.Frames.repeat;
import static io.outrigger.http2.testing.Frames.requestWith;
import static io.outrigger.http2.testing.Frames.reset;
import static io.outrigger.http2.testing.Frames.settings;
import static io.outrigger.http2.testing.Frames.windowUpdate;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.outrigger.base.WaitingClock;
import io.outrigger.dataplane.upstream.UpstreamSettings;
import io.outrigger.http2.ConnectionSettings;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.PeerErrors.Side;
import io.outrigger.http2.testing.Frames;
import io.outrigger.http2.testing.RawHttp2;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.program.testing.mesh.MiniMesh;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What backends get that attack, and what the app gets. */
final class BackendAbuseIT extends BackendAbuseFixture {
  BackendAbuseIT() throws Exception {}

  private static final int STEPS = 20_000;

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void aFloodEndsItsConnectionWhileOthersAreServed(String name, byte[] first, byte[] step)
      throws Exception {
    long floods = Footprint.floods(mesh, Side.BACKEND);
    Call call = call();
    call.wire().send(first);
    byte[] burst = repeat(100, step);
    boolean taken = true;
    for (int i = 0; i < STEPS / 100 && taken; i++) {
      taken = call.wire().send(burst);
      assertThat(neighbour.callInTime()).isEqualTo("200");
      before.checkWhileAttacked();
    }

    assertThat(app.outcome(call.appId())).isEqualTo(UNAVAILABLE);
    assertThat(call.wire().awaitClose()).contains(Http2Error.ENHANCE_YOUR_CALM);
    assertThat(Footprint.floods(mesh, Side.BACKEND)).isEqualTo(floods + 1);
  }

  static Stream<Arguments> aFloodEndsItsConnectionWhileOthersAreServed() {
    byte[] none = new byte[0];
    byte[] head = headers(1, END_HEADERS, OK);
    return Stream.of(
        arguments("SETTINGS", none, settings()),
        arguments("SETTINGS that change windows", none, settings(Frames.INITIAL_WINDOW_SIZE, 9)),
        arguments("PING", none, ping(1)),
        arguments("WINDOW_UPDATE", none, windowUpdate(0, 1)),
        arguments("WINDOW_UPDATE of a stream", none, windowUpdate(1, 1)),
        arguments("PRIORITY", none, frame(Frames.PRIORITY, 0, 1, new byte[5])),
        arguments("unknown frames", none, frame(0x42, 0, 0, new byte[100])),
        arguments("empty DATA", head, data(1, 0)),
        arguments("DATA of padding", head, data(1, Frames.PADDED, (byte) 1, (byte) 0)),
        arguments("interim responses", none, headers(1, END_HEADERS, ":status", "103")),
        arguments(
            "CONTINUATION without content", headers(1, 0, OK), frame(Frames.CONTINUATION, 0, 1)),
        arguments(
            "CONTINUATION without end",
            headers(1, 0, OK),
            frame(Frames.CONTINUATION, 0, 1, Frames.block("a", "x".repeat(10_000)))));
  }

  @ParameterizedTest
  @EnumSource
  void aMalformedResponseIsResetAndNothingOfItPassedOn(Malformed malformed) throws Exception {
    Call call = call();
    call.wire().send(headers(call.id(), END_HEADERS, malformed.after(OK)));

    assertThat(RawBackend.verdict(call.wire(), call.id())).isEqualTo("RST_STREAM PROTOCOL_ERROR");
    assertThat(app.outcome(call.appId())).isEqualTo(INTERNAL);
    theConnectionStillServes(call);
  }

  @ParameterizedTest
  @EnumSource
  void malformedTrailersEndTheCallWithAFailure(Malformed malformed) throws Exception {
    Call call = call();
    call.wire()
        .send(
            headers(call.id(), END_HEADERS, OK),
            headers(call.id(), END_HEADERS | END_STREAM, malformed.after("grpc-status", "0")));

    assertThat(RawBackend.verdict(call.wire(), call.id())).isEqualTo("RST_STREAM PROTOCOL_ERROR");
    assertThat(app.outcome(call.appId())).isEqualTo(INTERNAL);
    theConnectionStillServes(call);
  }

  @ParameterizedTest(name = "{0} -> {2}")
  @MethodSource
  void anErrorOfAStreamSparesTheConnection(String name, byte[] frames, String verdict)
      throws Exception {
    Call call = call();
    call.wire().send(frames);

    assertThat(RawBackend.verdict(call.wire(), call.id())).isEqualTo(verdict);
    assertThat(app.outcome(call.appId())).isIn(INTERNAL, "grpc-status 8");
    theConnectionStillServes(call);
  }

  static Stream<Arguments> anErrorOfAStreamSparesTheConnection() {
    String protocol = "RST_STREAM PROTOCOL_ERROR";
    byte[] head = headers(1, END_HEADERS, OK);
    byte[] bomb = Frames.block("bomb", "x".repeat(3000));
    bomb[0] = 0x40; // it enters the table
    byte[] again = new byte[1000];
    Arrays.fill(again, (byte) (0x80 | 62));
    return Stream.of(
        arguments("no :status", headers(1, END_HEADERS, "a", "b"), protocol),
        arguments(
            "two :status", headers(1, END_HEADERS, ":status", "200", ":status", "200"), protocol),
        arguments("late :status", headers(1, END_HEADERS, "a", "b", ":status", "200"), protocol),
        arguments(":status of text", headers(1, END_HEADERS, ":status", "abc"), protocol),
        arguments("101", headers(1, END_HEADERS, ":status", "101"), protocol),
        arguments(":path", headers(1, END_HEADERS, ":status", "200", ":path", "/"), protocol),
        arguments("interim end", headers(1, END_HEADERS | END_STREAM, ":status", "100"), protocol),
        arguments("DATA first", data(1, 0, new byte[5]), protocol),
        arguments(
            "content-length below DATA",
            join(
                headers(1, END_HEADERS, Malformed.join(OK, "content-length", "1")),
                data(1, 0, new byte[5])),
            protocol),
        arguments(
            "content-length above DATA",
            join(
                headers(1, END_HEADERS, Malformed.join(OK, "content-length", "9")),
                data(1, END_STREAM, new byte[5])),
            protocol),
        arguments(
            "trailers that do not end", join(head, headers(1, END_HEADERS, "a", "b")), protocol),
        arguments("window of nothing", windowUpdate(1, 0), protocol),
        arguments(
            "window too wide", windowUpdate(1, Integer.MAX_VALUE), "RST_STREAM FLOW_CONTROL_ERROR"),
        arguments(
            "HPACK bomb",
            frame(Frames.HEADERS, END_HEADERS, 1, join(Frames.block(OK), bomb, again)),
            "RST_STREAM ENHANCE_YOUR_CALM"),
        arguments(
            "cookie crumbs",
            join(
                headers(1, 0, OK),
                frame(
                    Frames.CONTINUATION, END_HEADERS, 1, repeat(1800, Frames.block("cookie", "")))),
            "RST_STREAM ENHANCE_YOUR_CALM"));
  }

  @ParameterizedTest(name = "{0} -> {2}")
  @MethodSource
  void anErrorOfTheConnectionEndsIt(String name, byte[] frames, String error) throws Exception {
    Call call = call();
    call.wire().send(frames);

    assertThat(RawBackend.verdict(call.wire(), call.id())).isEqualTo("GOAWAY " + error);
    assertThat(app.outcome(call.appId())).isEqualTo(UNAVAILABLE);
  }

  static Stream<Arguments> anErrorOfTheConnectionEndsIt() {
    return Stream.of(
        arguments("window too wide", windowUpdate(0, Integer.MAX_VALUE), "FLOW_CONTROL_ERROR"),
        arguments(
            "initial window too wide",
            settings(Frames.INITIAL_WINDOW_SIZE, Integer.MIN_VALUE),
            "FLOW_CONTROL_ERROR"),
        arguments("ENABLE_PUSH", settings(2, 1), "PROTOCOL_ERROR"),
        arguments(
            "PUSH_PROMISE",
            frame(Frames.PUSH_PROMISE, END_HEADERS, 1, join(number(2), Frames.block(OK))),
            "PROTOCOL_ERROR"),
        arguments("a stream of its own", headers(2, END_HEADERS, OK), "PROTOCOL_ERROR"),
        arguments("a response before its request", headers(99, END_HEADERS, OK), "PROTOCOL_ERROR"),
        arguments("DATA of an idle stream", data(99, 0, new byte[1]), "PROTOCOL_ERROR"),
        arguments(
            "an HTTP/1 response",
            Frames.ascii("HTTP/1.1 400 Bad Request\r\n\r\n"),
            "FRAME_SIZE_ERROR"),
        arguments(
            "a table of 1 GB",
            frame(
                Frames.HEADERS,
                END_HEADERS,
                1,
                join(new byte[] {0x3f, -1, -1, -1, 3}, Frames.block(OK))),
            "COMPRESSION_ERROR"));
  }

  @Test
  void dataBeyondTheWindowIsAnErrorOfItsStream() throws Exception {
    try (RawApp slow = RawApp.connect(mesh.address())) {
      int id = slow.nextId();
      slow.wire.send(requestWith(id, END_STREAM, "content-type", "application/grpc"));
      RawHttp2 wire = backend.accept();
      int upstream = RawBackend.awaitRequest(wire);
      wire.send(headers(upstream, END_HEADERS, OK));
      wire.send(repeat(65, data(upstream, 0, new byte[16_384])));

      assertThat(RawBackend.verdict(wire, upstream)).isEqualTo("RST_STREAM FLOW_CONTROL_ERROR");
      slow.wire.send(windowUpdate(id, 1 << 24), windowUpdate(0, 1 << 24));
      assertThat(slow.outcome(id)).isEqualTo(INTERNAL);
    }
  }

  @Test
  void resetsHurtOnlyTheirCalls() throws Exception {
    Call call = call();
    int id = call.id();
    int appId = call.appId();
    for (int i = 0; i < 100; i++) {
      call.wire().send(reset(id, Http2Error.INTERNAL_ERROR));
      assertThat(app.outcome(appId)).isEqualTo(INTERNAL);
      appId = app.nextId();
      app.wire.send(requestWith(appId, END_STREAM, "content-type", "application/grpc"));
      id = RawBackend.awaitRequest(call.wire());
    }
    call.wire().send(headers(id, END_HEADERS | END_STREAM, Malformed.join(OK, "grpc-status", "0")));
    assertThat(app.outcome(appId)).isEqualTo("grpc-status 0");
  }

  /** CVE-2026-50560: a client that resets what it may not send, and tries again for ever. */
  @Test
  void aBackendThatTakesNoHeadersGetsNoRequest() throws Exception {
    int id = app.nextId();
    app.wire.send(requestWith(id, END_STREAM, "content-type", "application/grpc"));
    try (RawHttp2 wire = backend.accept(Frames.MAX_HEADER_LIST_SIZE, 1)) {
      assertThat(app.outcome(id)).isEqualTo("grpc-status 8");
      wire.send(ping(7));
      assertThat(wire.await(frame -> true).type()).isEqualTo(Frames.PING);
    }
  }

  @Test
  void windowsOfZeroHoldOneStreamsWindowAndNoMore() throws Exception {
    Call first = call(Frames.INITIAL_WINDOW_SIZE, 0); // the deadline must not run while we connect
    RawHttp2 wire = first.wire();
    wire.send(
        headers(first.id(), END_HEADERS | END_STREAM, Malformed.join(OK, "grpc-status", "0")));
    assertThat(app.outcome(first.appId())).isEqualTo("grpc-status 0");
    int id = app.nextId();
    app.wire.send(requestWith(id, 0, "content-type", "application/grpc", "grpc-timeout", "500m"));
    int upstream = RawBackend.awaitRequest(wire);
    app.wire.send(repeat(64, data(id, 0, new byte[16_384]))); // all of its window

    assertThat(app.outcome(id)).isEqualTo("grpc-status 4");
    assertThat(RawBackend.verdict(wire, upstream)).isEqualTo("RST_STREAM CANCEL");
  }

  @Test
  void aBackendThatFallsSilentIsFoundOutByKeepAlive() throws Exception {
    var upstream =
        new UpstreamSettings(
            DefaultSettings.CONNECT_TIMEOUT,
            Optional.of(
                new UpstreamSettings.KeepAlive(Duration.ofSeconds(2), Duration.ofSeconds(1))),
            DefaultSettings.IDLE_TIMEOUT,
            ConnectionSettings.DEFAULT);
    try (var silentBackend = new RawBackend();
        var probing = new MiniMesh(upstream)) {
      MiniMesh.Backend silent = probing.leadTo(silentBackend.port());
      try (RawApp caller = RawApp.connect(probing.address())) {
        int id = caller.nextId();
        caller.wire.send(requestWith(id, END_STREAM, "content-type", "application/grpc"));
        RawHttp2 wire = silentBackend.accept();
        RawBackend.awaitRequest(wire);
        assertThat(wire.await(frame -> true).type()).isEqualTo(Frames.PING); // never answered

        assertThat(caller.outcome(id)).isEqualTo(UNAVAILABLE);
        assertThat(RawBackend.verdict(wire, 1)).isEqualTo("GOAWAY NO_ERROR");
      } finally {
        silent.close();
      }
    }
  }

  /** A8: or else a quiet long stream would be cut again and again. */
  @Test
  void aBackendThatComplainsOfPingsGetsHalfAsMany() throws Exception {
    var upstream =
        new UpstreamSettings(
            DefaultSettings.CONNECT_TIMEOUT,
            Optional.of(
                new UpstreamSettings.KeepAlive(Duration.ofSeconds(3), Duration.ofSeconds(20))),
            DefaultSettings.IDLE_TIMEOUT,
            ConnectionSettings.DEFAULT);
    try (var strict = new RawBackend();
        var probing = new MiniMesh(upstream)) {
      MiniMesh.Backend backend = probing.leadTo(strict.port());
      try (RawApp caller = RawApp.connect(probing.address())) {
        long first = silenceBeforePing(strict, caller);
        long second = silenceBeforePing(strict, caller);

        assertThat(first).isBetween(2_900L, 5_500L); // a PING is at most two seconds late
        assertThat(second).isGreaterThan(5_900L);
      } finally {
        backend.close();
      }
    }
  }

  private static long silenceBeforePing(RawBackend strict, RawApp caller) throws Exception {
    int id = caller.nextId();
    caller.wire.send(requestWith(id, END_STREAM, "content-type", "application/grpc"));
    RawHttp2 wire = strict.accept();
    RawBackend.awaitRequest(wire);
    long begin = WaitingClock.nanoTime();
    assertThat(wire.await(frame -> true).type()).isEqualTo(Frames.PING);
    long millis = (WaitingClock.nanoTime() - begin) / 1_000_000;
    byte[] why =
        join(number(1), number(Http2Error.ENHANCE_YOUR_CALM.code()), ascii("too_many_pings"));
    wire.send(frame(Frames.GOAWAY, 0, 0, why));
    wire.close();
    assertThat(caller.outcome(id)).isEqualTo(UNAVAILABLE);
    return millis;
  }

  @Test
  void noStreamsForEverEndsWithTheDeadline() throws Exception {
    int id = app.nextId();
    app.wire.send(
        requestWith(id, END_STREAM, "content-type", "application/grpc", "grpc-timeout", "200m"));
    try (RawHttp2 wire = backend.accept(Frames.MAX_CONCURRENT_STREAMS, 0)) {
      assertThat(app.outcome(id)).isEqualTo("grpc-status 4");
      wire.send(ping(1));
      assertThat(wire.await(frame -> true).type()).isEqualTo(Frames.PING);
    }
  }

  @Test
  void whoSaysGoAwayToEveryRequestIsNotAskedForEver() throws Exception {
    int id = app.nextId();
    app.wire.send(requestWith(id, END_STREAM, "content-type", "application/grpc"));
    for (int i = 0; i < 2; i++) { // a transparent retry each
      try (RawHttp2 wire = backend.accept()) {
        assertThat(RawBackend.awaitRequest(wire)).isEqualTo(1);
        wire.send(Frames.goAway(0, Http2Error.NO_ERROR));
      }
    }

    assertThat(app.outcome(id)).isEqualTo(UNAVAILABLE);
  }
}
