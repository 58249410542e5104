package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Heads.headers;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.testing.Conformance;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how a backend's response determines the outcome of a call. */
class ResponseRelayTest {
  private static final String GRPC = "application/grpc";

  @Conformance("SC-18")
  @ParameterizedTest(name = "{0} {1}, ends: {2}")
  @CsvSource({
    "103, text/html,             false,",
    "200, application/grpc,      false,",
    "200, application/grpc,      true,  UNKNOWN",
    "200, text/html,             false, UNKNOWN",
    "503, application/grpc,      false, UNAVAILABLE",
    "503, text/html,             true,  UNAVAILABLE",
  })
  void aHeadThatBeginsNoGrpcResponseIsAFailure(
      String status, String contentType, boolean ends, @Nullable Code failure) {
    var head = headers(":status", status, "content-type", contentType);

    assertThat(ResponseRelay.failureOf(head, ends)).isEqualTo(failure);
  }

  @ParameterizedTest
  @CsvSource({
    "'0',",
    "9, FAILED_PRECONDITION",
    "16, UNAUTHENTICATED",
    "17, UNKNOWN",
    "190, UNKNOWN",
    "4294967309, UNKNOWN",
    "1x, UNKNOWN",
    "-1, UNKNOWN",
    "'', UNKNOWN",
  })
  void aBlockThatEndsTheResponseFailsWithItsCode(String status, @Nullable Code failure) {
    var block = headers(":status", "200", "content-type", GRPC, "grpc-status", status);

    assertThat(ResponseRelay.failureOf(block, true)).isEqualTo(failure);
  }

  /** The backend has sent a status in the response headers, so no status is added. */
  @Conformance("SC-17")
  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"empty DATA", "DATA", "trailers", "DATA, trailers"})
  void oneStatusStaysOne(String rest) {
    var script = new CallScript().ready();
    var app = script.unary();
    var backend = script.backend.stream().handlerOf();
    backend.onHeaders(headers(":status", "200", "content-type", GRPC, "grpc-status", "5"), false);
    assertThat(app.stream.log).isEmpty();

    boolean isTrailed = rest.contains("trailers");
    if (rest.startsWith("empty")) {
      backend.onData(Unpooled.EMPTY_BUFFER, true);
    } else if (rest.startsWith("DATA")) {
      backend.onData(script.buffer("x"), !isTrailed);
    }
    if (isTrailed) {
      backend.onHeaders(headers("x-cost", "1"), true);
    }

    assertThat(String.join("", app.stream.log)).containsOnlyOnce("grpc-status=5").endsWith("!");
    assertThat(String.join("", app.stream.log)).containsOnlyOnce("grpc-status=");
    assertThat(script.ended).containsExactly("NOT_FOUND/200");
  }

  @Conformance("SC-17")
  @Test
  void aStatusThatTheProxyAddsIsCountedAsItsOwn() {
    var script = new CallScript().ready();
    script.unary();

    script.respond();
    script.backend.stream().handlerOf().onHeaders(headers("x-cost", "1"), true);

    assertThat(script.ended).containsExactly("UNKNOWN/200/missing_status");
  }

  @Conformance("SC-17")
  @Test
  void anAnswerThatIsNotGrpcOwesNoStatus() {
    var script = new CallScript().ready();
    var app = script.unary();

    var backend = script.backend.stream().handlerOf();
    backend.onHeaders(headers(":status", "200", "content-type", "text/html"), false);
    backend.onData(script.buffer("<p>"), true);

    assertThat(app.stream.log).endsWith("D(<p>)!");
    assertThat(script.ended).containsExactly("UNKNOWN/200");
  }
}
