package io.outrigger.abuse;

import static io.outrigger.http2.testing.Frames.END_HEADERS;
import static io.outrigger.http2.testing.Frames.END_STREAM;
import static io.outrigger.http2.testing.Frames.data;
import static io.outrigger.http2.testing.Frames.headers;
import static io.outrigger.http2.testing.Frames.ping;
import static io.outrigger.http2.testing.Frames.requestWith;
import static io.outrigger.http2.testing.Frames.windowUpdate;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.dataplane.upstream.UpstreamSettings;
import io.outrigger.http2.ConnectionSettings;
import io.outrigger.http2.ConnectionSettings.Windows;
import io.outrigger.http2.testing.Frames;
import io.outrigger.http2.testing.RawHttp2;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.program.testing.mesh.MiniMesh;
import io.outrigger.testing.Conformance;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams whose reader has stopped: what they cost, and that the others go on. */
@Timeout(600)
final class StalledStreamsIT {
  private static final String[] OK = {":status", "200", "content-type", "application/grpc"};

  /** However many there are, the beginning of one message. */
  private static final byte[] FRAME = longMessage(16_384);

  private static final int WINDOW = 1 << 20;

  /** Twenty streams that hold a whole window each are more than a connection's window of 16 MiB. */
  @Conformance("SC-38")
  @Test
  void streamsThatStandStillDoNotUseUpTheConnection() throws Exception {
    int stalled = 20;
    try (var backend = new RawBackend();
        var mesh = new MiniMesh(1)) {
      mesh.leadTo(backend.port());
      try (RawApp app = RawApp.connect(mesh.address())) {
        for (int i = 0; i < stalled; i++) {
          request(app);
        }
        try (RawHttp2 wire = backend.accept()) {
          for (int i = 0; i < stalled; i++) {
            RawBackend.awaitRequest(wire);
          }
          request(app); // now, since calls that waited for the connection may overtake each other
          RawBackend.awaitRequest(wire);
          var answered = CompletableFuture.runAsync(() -> respond(wire, stalled));

          assertThat(outcomeOfTheLast(app, 2 * stalled + 1)).isEqualTo("grpc-status 0");
          answered.join();
        }
      }
    }
  }

  private static byte[] longMessage(int bytes) {
    byte[] message = new byte[bytes];
    Arrays.fill(message, Byte.MAX_VALUE);
    return message;
  }

  private static void request(RawApp app) {
    app.wire.send(requestWith(app.nextId(), END_STREAM, "content-type", "application/grpc"));
  }

  /** One window for each stalled stream, then a whole response on one more. */
  private static void respond(RawHttp2 wire, int stalled) {
    for (int id = 1; id < 2 * stalled; id += 2) {
      wire.send(headers(id, END_HEADERS, OK));
      for (int bytes = 0; bytes < WINDOW; bytes += FRAME.length) {
        wire.send(data(id, 0, FRAME));
      }
    }
    int last = 2 * stalled + 1;
    wire.send(headers(last, END_HEADERS, OK), data(last, 0, FRAME));
    wire.send(headers(last, END_HEADERS | END_STREAM, "grpc-status", "0"));
  }

  /** Returns the connection's credit for all streams, that of a stream only for the last. */
  private static String outcomeOfTheLast(RawApp app, int last) throws Exception {
    app.wire.send(windowUpdate(0, 1 << 28));
    return app.outcome(last);
  }

  @Conformance("SC-38")
  @Test
  void aThousandStalledStreamsStayWithinAWindowEach() throws Exception {
    int stalled = 1_000;
    int window = 32 << 10;
    var upstream =
        new UpstreamSettings(
            DefaultSettings.CONNECT_TIMEOUT,
            Optional.empty(),
            DefaultSettings.IDLE_TIMEOUT,
            ConnectionSettings.DEFAULT.withWindows(new Windows(window, window, 16 << 20)));
    try (var backend = new RawBackend();
        var mesh = new MiniMesh(upstream)) {
      mesh.leadTo(backend.port());
      try (RawApp app = RawApp.connect(mesh.address(), Frames.INITIAL_WINDOW_SIZE, 0)) {
        for (int i = 0; i < stalled; i++) {
          request(app);
        }
        try (RawHttp2 wire = backend.accept()) {
          for (int i = 0; i < stalled; i++) {
            RawBackend.awaitRequest(wire);
          }
          for (int id = 1; id < 2 * stalled; id += 2) {
            wire.send(headers(id, END_HEADERS, OK));
          }
          byte[] part = longMessage(4096);
          long before = Footprint.bufferBytes();
          for (int sent = 0; sent < window; sent += 4096) {
            for (int id = 1; id < 2 * stalled; id += 2) {
              wire.send(data(id, 0, part));
            }
          }
          wire.send(ping(1));
          wire.await(frame -> frame.type() == Frames.PING && frame.isAck());

          long windows = (long) stalled * window;
          assertThat(mesh.calls()).isEqualTo(stalled);
          assertThat(Footprint.bufferBytes() - before)
              .isLessThan(windows + windows / 4 + (16L << 20));
        }
      }
    }
  }
}
