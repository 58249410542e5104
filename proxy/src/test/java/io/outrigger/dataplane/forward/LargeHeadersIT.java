package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Frames.END_HEADERS;
import static io.outrigger.http2.testing.Frames.END_STREAM;
import static io.outrigger.http2.testing.Frames.REQUEST;
import static io.outrigger.http2.testing.Frames.block;
import static io.outrigger.http2.testing.Frames.frame;
import static io.outrigger.http2.testing.Frames.headers;
import static io.outrigger.http2.testing.Frames.join;
import static io.outrigger.http2.testing.Frames.repeat;
import static io.outrigger.http2.testing.Frames.wholeRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http2.Http2Headers;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.testing.AnsweringBackend;
import io.outrigger.http2.testing.Frame;
import io.outrigger.http2.testing.Frames;
import io.outrigger.http2.testing.RawHttp2;
import io.outrigger.program.testing.mesh.MiniMesh;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that requests with too large header lists get a normal reply of the sidecar. */
@ParameterizedClass(name = "{0} loops")
@ValueSource(ints = {1, 2})
final class LargeHeadersIT {
  private final AnsweringBackend backend = new AnsweringBackend();
  private final MiniMesh mesh;
  private RawHttp2 app;

  LargeHeadersIT(int loops) throws Exception {
    mesh = new MiniMesh(loops);
    mesh.leadTo(backend.port());
  }

  @BeforeEach
  void connect() throws Exception {
    app = RawHttp2.open(mesh.address());
  }

  @AfterEach
  void close() throws Exception {
    app.close();
    mesh.close();
    backend.close();
  }

  @Conformance({"SC-23", "SC-26"})
  @Test
  void grpcIsKnownByWhatFits() throws Exception {
    app.send(tooLarge(1, END_STREAM, "content-type", "application/grpc+proto"));

    Frame answer = app.await(frame -> frame.streamId() == 1);
    Http2Headers head = app.decode(answer);
    assertThat(answer.endsStream()).isTrue();
    assertThat(head.status()).hasToString("200");
    assertThat(head.get("content-type")).hasToString("application/grpc");
    assertThat(head.get("grpc-status")).hasToString("8");
    assertThat(head.get("grpc-message").toString()).contains("--max-header-bytes");
    assertThat(head.get("x-outrigger-local")).hasToString("headers_too_large");
    theConnectionGoesOn();
    Await.until(
        "it is counted",
        () -> mesh.forward.totals().byGrpcStatus().containsKey("RESOURCE_EXHAUSTED"));
  }

  @Conformance("SC-26")
  @Test
  void otherRequestsGetStatusAndText() throws Exception {
    app.send(tooLarge(1, 0, "content-type", "text/html"));

    Http2Headers head = app.decode(app.await(frame -> frame.streamId() == 1));
    assertThat(head.status()).hasToString("431");
    assertThat(head.get("content-type")).hasToString("text/plain; charset=utf-8");
    assertThat(head.get("x-outrigger-local")).hasToString("headers_too_large");
    Frame text = app.await(frame -> frame.streamId() == 1);
    assertThat(new String(text.payload(), StandardCharsets.UTF_8)).contains("--max-header-bytes");
    assertThat(text.endsStream()).isTrue();
    Frame stop = app.await(frame -> frame.streamId() == 1);
    assertThat(stop.type()).as("no need to go on").isEqualTo(Frames.RST_STREAM);
    assertThat(Http2Error.ofCode(stop.number(0))).isEqualTo(Http2Error.NO_ERROR);
    theConnectionGoesOn();
    Await.until("it is counted", () -> mesh.forward.totals().byHttpClass().containsKey("4xx"));
  }

  /** The HPACK table stays in sync, so the next request is served. */
  private void theConnectionGoesOn() throws Exception {
    app.send(wholeRequest(3));
    assertThat(app.decode(app.await(frame -> frame.streamId() == 3)).status()).hasToString("200");
    assertThat(mesh.forward.totals().byLocalReason()).containsEntry("headers_too_large", 1L);
  }

  /** A header list with more than 64 KiB before the fields that identify the type of request. */
  private static byte[] tooLarge(int id, int flags, String name, String value) {
    byte[] much = frame(Frames.CONTINUATION, 0, id, block("x-much", "x".repeat(16_000)));
    return join(
        headers(id, flags, REQUEST),
        repeat(5, much),
        frame(Frames.CONTINUATION, END_HEADERS, id, block(name, value)));
  }
}
