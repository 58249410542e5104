package io.outrigger.abuse;

import static io.outrigger.http2.testing.Frames.END_HEADERS;
import static io.outrigger.http2.testing.Frames.END_STREAM;
import static io.outrigger.http2.testing.Frames.data;
import static io.outrigger.http2.testing.Frames.headers;
import static io.outrigger.http2.testing.Frames.ping;
import static io.outrigger.http2.testing.Frames.repeat;
import static io.outrigger.http2.testing.Frames.requestWith;
import static io.outrigger.http2.testing.Frames.reset;
import static io.outrigger.http2.testing.Frames.settings;
import static io.outrigger.http2.testing.Frames.windowUpdate;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.Http2Error;
import io.outrigger.http2.testing.Frame;
import io.outrigger.http2.testing.Frames;
import io.outrigger.http2.testing.RawHttp2;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Backends that give windows of a byte, change their settings under way, or say more after they
 * have ended; and that what they break is their own call.
 */
final class BackendFlowIT extends BackendAbuseFixture {
  private static final String UPLOAD = "a message of the app";

  BackendFlowIT() throws Exception {}

  /** An app that sends a whole request with {@link #UPLOAD} as its content. */
  private Call upload(int window) throws IOException {
    int id = app.nextId();
    byte[] content = UPLOAD.getBytes(StandardCharsets.US_ASCII);
    app.wire.send(requestWith(id, 0, "content-type", "application/grpc"));
    app.wire.send(data(id, END_STREAM, content));
    RawHttp2 wire = backend.accept(Frames.INITIAL_WINDOW_SIZE, window);
    return new Call(id, wire, RawBackend.awaitRequest(wire));
  }

  private static Frame awaitData(RawHttp2 wire) throws IOException {
    return wire.await(frame -> frame.type() == Frames.DATA);
  }

  private static void answer(Call call) {
    call.wire().send(headers(call.id(), END_HEADERS | END_STREAM, ended("0")));
  }

  private static String[] ended(String status) {
    return Malformed.join(OK, "grpc-status", status);
  }

  @Test
  void windowsOfOneByteLetOneByteThrough() throws Exception {
    Call call = upload(1);
    var text = new StringBuilder();
    while (text.length() < UPLOAD.length()) {
      Frame part = awaitData(call.wire());
      assertThat(part.payload()).hasSize(1);
      text.append(part.text());
      call.wire().send(windowUpdate(call.id(), 1));
    }
    answer(call);

    assertThat(text).hasToString(UPLOAD);
    assertThat(app.outcome(call.appId())).isEqualTo("grpc-status 0");
  }

  @Test
  void settingsThatChangeUnderWayAreObeyed() throws Exception {
    Call call = upload(4);
    assertThat(awaitData(call.wire()).text()).isEqualTo(UPLOAD.substring(0, 4));

    call.wire().send(settings(Frames.INITIAL_WINDOW_SIZE, 0)); // the window is -4 now
    call.wire().send(windowUpdate(call.id(), 4), ping(1));
    Frame next = call.wire().await(frame -> frame.type() != Frames.SETTINGS);
    assertThat(next.type()).isEqualTo(Frames.PING);

    call.wire().send(settings(Frames.INITIAL_WINDOW_SIZE, 1 << 20, Frames.MAX_FRAME_SIZE, 1 << 20));
    Frame rest = awaitData(call.wire());
    assertThat(rest.text()).isEqualTo(UPLOAD.substring(4));
    assertThat(rest.endsStream()).isTrue();
    answer(call);
    assertThat(app.outcome(call.appId())).isEqualTo("grpc-status 0");
  }

  /** The app's own window: what a backend does not take is not held without end. */
  @Test
  void anAppThatSendsBeyondItsWindowIsReset() throws Exception {
    Call first = call(Frames.INITIAL_WINDOW_SIZE, 0); // the connection is there from now on
    answer(first);
    assertThat(app.outcome(first.appId())).isEqualTo("grpc-status 0");
    int id = app.nextId();
    app.wire.send(requestWith(id, 0, "content-type", "application/grpc"));
    int upstream = RawBackend.awaitRequest(first.wire());
    app.wire.send(repeat(65, data(id, 0, new byte[16_384])));

    assertThat(app.outcome(id)).isEqualTo("RST_STREAM FLOW_CONTROL_ERROR");
    assertThat(RawBackend.verdict(first.wire(), upstream)).isEqualTo("RST_STREAM CANCEL");
    theConnectionStillServes(first);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, -1}) // the last is 2^32 - 1
  void aTableOfAnySizeIsNotOursToFill(int tableBytes) throws Exception {
    Call call = call(Frames.HEADER_TABLE_SIZE, tableBytes);
    answer(call);

    assertThat(app.outcome(call.appId())).isEqualTo("grpc-status 0");
    theConnectionStillServes(call);
  }

  @Test
  void malformedResponsesWithoutEndHurtOnlyTheirCalls() throws Exception {
    Call call = call();
    int id = call.id();
    int appId = call.appId();
    for (int i = 0; i < 100; i++) {
      call.wire().send(headers(id, END_HEADERS, ":status", "none"));
      assertThat(RawBackend.verdict(call.wire(), id)).isEqualTo("RST_STREAM PROTOCOL_ERROR");
      assertThat(app.outcome(appId)).isEqualTo(INTERNAL);
      appId = app.nextId();
      app.wire.send(requestWith(appId, END_STREAM, "content-type", "application/grpc"));
      id = RawBackend.awaitRequest(call.wire());
    }
    call.wire().send(headers(id, END_HEADERS | END_STREAM, ended("0")));
    assertThat(app.outcome(appId)).isEqualTo("grpc-status 0");
  }

  /** RFC 9113 section 8.1: a server that needs no more of a request ends it without an error. */
  @Test
  void aResetWithoutErrorBehindTrailersChangesNothing() throws Exception {
    Call call = upload(1 << 16);
    answer(call);
    call.wire().send(reset(call.id(), Http2Error.NO_ERROR));

    assertThat(app.outcome(call.appId())).isEqualTo("grpc-status 0");
    theConnectionStillServes(call);
  }

  @Test
  void whatComesAfterTheEndIsRefusedAndTheCallStaysAsItWas() throws Exception {
    Call call = call();
    call.wire().send(headers(call.id(), END_HEADERS | END_STREAM, ended("7")));
    call.wire().send(data(call.id(), 0, new byte[100]));

    assertThat(RawBackend.verdict(call.wire(), call.id())).isEqualTo("RST_STREAM STREAM_CLOSED");
    assertThat(app.outcome(call.appId())).isEqualTo("grpc-status 7");
    theConnectionStillServes(call);
  }
}
