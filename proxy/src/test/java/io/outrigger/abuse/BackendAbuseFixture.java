package io.outrigger.abuse;

import static io.outrigger.http2.testing.Frames.END_HEADERS;
import static io.outrigger.http2.testing.Frames.END_STREAM;
import static io.outrigger.http2.testing.Frames.headers;
import static io.outrigger.http2.testing.Frames.requestWith;
import static io.outrigger.http2.testing.Frames.windowUpdate;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.ConnectionSettings.AbuseLimits;
import io.outrigger.http2.testing.AnsweringBackend;
import io.outrigger.http2.testing.Frames;
import io.outrigger.http2.testing.RawHttp2;
import io.outrigger.program.testing.mesh.MiniMesh;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * A sidecar whose one event loop serves calls of a neighbour to a good backend, and those of an app
 * to one that attacks. After each attack the neighbour is served, and connections, calls on both
 * sides and the memory of buffers are what they were.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
abstract class BackendAbuseFixture {
  /** As in a running sidecar. */
  static final AbuseLimits LIMITS = AbuseLimits.DEFAULT;

  static final String[] OK = {":status", "200", "content-type", "application/grpc"};
  static final String INTERNAL = "grpc-status 13";
  static final String UNAVAILABLE = "grpc-status 14";

  private final AnsweringBackend goodBackend = new AnsweringBackend();
  private final MiniMesh good;
  final RawApp neighbour;
  final Footprint before;
  MiniMesh mesh;
  RawBackend backend;
  private MiniMesh.Backend subchannel;
  RawApp app;

  BackendAbuseFixture() throws Exception {
    good = new MiniMesh(LIMITS);
    good.leadTo(goodBackend.port());
    neighbour = RawApp.neighbour(good.address());
    assertThat(neighbour.call()).isEqualTo("200");
    before = Footprint.of(good);
    mesh = good;
    backend = new RawBackend();
    app = neighbour;
    subchannel = good.leadTo(goodBackend.port());
  }

  @BeforeEach
  void open() throws Exception {
    backend = new RawBackend();
    mesh = good.sibling(LIMITS);
    subchannel = mesh.leadTo(backend.port());
    app = RawApp.connect(mesh.address(), Frames.INITIAL_WINDOW_SIZE, 16 << 20);
    app.wire.send(windowUpdate(0, 16 << 20)); // it takes what a backend sends
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    app.close();
    subchannel.close();
    backend.close();
    Footprint.awaitIdle(mesh);
    mesh.close();
    assertThat(neighbour.call()).isEqualTo("200");
    before.awaitAgain(good, goodBackend);
  }

  @AfterAll
  void close() throws IOException {
    neighbour.close();
    good.close();
    goodBackend.close();
  }

  /** Starts a gRPC call; the connection and stream on which it reached the backend. */
  final Call call(int... settings) throws IOException {
    int id = app.nextId();
    app.wire.send(requestWith(id, END_STREAM, "content-type", "application/grpc"));
    RawHttp2 wire = backend.accept(settings);
    return new Call(id, wire, RawBackend.awaitRequest(wire));
  }

  record Call(int appId, RawHttp2 wire, int id) {}

  final void theConnectionStillServes(Call call) throws Exception {
    int id = app.nextId();
    app.wire.send(requestWith(id, END_STREAM, "content-type", "application/grpc"));
    int next = RawBackend.awaitRequest(call.wire());
    call.wire()
        .send(headers(next, END_HEADERS | END_STREAM, Malformed.join(OK, "grpc-status", "0")));
    assertThat(app.outcome(id)).isEqualTo("grpc-status 0");
  }
}
