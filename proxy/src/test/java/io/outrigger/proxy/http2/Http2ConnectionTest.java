package io.outrigger.proxy.http2;

import static io.outrigger.proxy.http2.Messages.OK;
import static io.outrigger.proxy.http2.Messages.POST;
import static io.outrigger.proxy.http2.Messages.TRAILERS;
import static io.outrigger.proxy.http2.Messages.list;
import static io.outrigger.proxy.http2.Messages.text;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class Http2ConnectionTest {
  @Test
  void aUnaryCallPassesBothWays() {
    try (Wire wire = Wire.open()) {
      assertThat(wire.clientEvents.events).containsExactly("ready");
      assertThat(wire.serverEvents.events).containsExactly("ready");

      RecordingStream call = wire.request(POST, false);
      call.stream().sendData(text("question"), true);
      wire.run();
      RecordingStream served = wire.serverEvents.stream(0);
      assertThat(served.story()).isEqualTo("headers data+end");
      assertThat(served.headers.get(0)).hasToString(POST.toString());
      assertThat(served.text()).isEqualTo("question");

      served.stream().sendHeaders(OK, false);
      served.stream().sendData(text("answer"), false);
      served.stream().sendHeaders(TRAILERS, true);
      wire.run();
      assertThat(call.story()).isEqualTo("headers data headers+end");
      assertThat(call.headers.get(1)).hasToString(TRAILERS.toString());
      assertThat(call.text()).isEqualTo("answer");
      assertThat(call.sent).isEqualTo(8);
      assertThat(wire.client.activeStreams()).isZero();
      assertThat(wire.server.activeStreams()).isZero();
    }
  }

  @Test
  void aHeaderListLargerThanAFramePassesInPieces() {
    try (Wire wire = Wire.open()) {
      HeaderList large = list(":status", "200", "x-large", "large".repeat(8000), "x-next", "small");
      RecordingStream call = wire.request(POST, true);
      wire.run();
      wire.serverEvents.stream(0).stream().sendHeaders(large, false);
      wire.serverEvents.stream(0).stream().sendHeaders(TRAILERS, true);
      wire.run();

      assertThat(call.story()).isEqualTo("headers headers+end");
      assertThat(call.headers.get(0)).hasToString(large.toString());
      assertThat(call.headers.get(1)).hasToString(TRAILERS.toString());
    }
  }

  @Test
  void anInterimResponsePrecedesTheFinalOne() {
    try (Wire wire = Wire.open()) {
      RecordingStream call = wire.request(POST, false);
      wire.run();

      Http2Stream served = wire.serverEvents.stream(0).stream();
      served.sendHeaders(list(":status", "103", "link", "</x>"), false);
      served.sendHeaders(OK, true);
      wire.run();

      assertThat(call.story()).isEqualTo("headers headers+end");
    }
  }
}
