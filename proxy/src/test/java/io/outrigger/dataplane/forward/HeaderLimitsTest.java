package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Heads.headers;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.dataplane.forward.CallScript.App;
import io.outrigger.http2.Http2Error;
import io.outrigger.lb.CallOutcome;
import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a header list that one side does not accept fails only its own call. */
class HeaderLimitsTest {
  private static final int LIMIT = 8192;
  private static final String TOKEN = "t".repeat(12_000);

  private final CallScript script = new CallScript().ready();
  private final FakeBackend backend = script.backend;

  @Conformance("SC-23")
  @Test
  void aRequestThatTheBackendDoesNotTakeIsRefusedHereWithTheNumbers() {
    backend.maxHeaderListBytes = LIMIT;

    App app = script.unary("authorization", TOKEN);

    assertThat(app.field("grpc-status")).isEqualTo("8");
    assertThat(app.field("grpc-message"))
        .startsWith("the request's header list has 12")
        .contains(" bytes, 10.0.0.1:80 takes at most 8192 (SETTINGS_MAX_HEADER_LIST_SIZE)");
    assertThat(app.field("x-outrigger-local")).isEqualTo("headers_too_large");
    assertThat(backend.stream().log).containsExactly("RST(CANCEL)");
    assertThat(backend.outcomes).as("it never saw the call").containsExactly(CallOutcome.NOT_SENT);

    script.unary("authorization", "short");
    assertThat(backend.stream().log).singleElement().asString().startsWith("H(");
  }

  @Conformance("SC-26")
  @Test
  void aPlainRequestThatTheBackendDoesNotTakeGets431() {
    backend.maxHeaderListBytes = LIMIT;

    App app = script.plain(true, "authorization", TOKEN);

    assertThat(app.stream.log.get(0)).contains(":status=431");
  }

  @Conformance("SC-26")
  @ParameterizedTest(name = "before the backend: {0}")
  @ValueSource(booleans = {true, false})
  void trailersThatTheBackendDoesNotTakeEndTheirCallOnly(boolean early) {
    backend.maxHeaderListBytes = LIMIT;
    backend.mode = early ? FakeBackend.Mode.WAITS : FakeBackend.Mode.OPENS;

    App app = script.plain(false).data("x", false);
    app.call.onHeaders(headers("x-sum", TOKEN), true);
    backend.openAll();

    assertThat(app.stream.log.get(0)).contains(":status=431");
    assertThat(app.stream.log.get(1))
        .contains("the request's trailer list has 12")
        .contains("8192");
    assertThat(backend.stream().log).noneMatch(block -> block.contains(TOKEN));
    assertThat(backend.stream().log).endsWith("RST(CANCEL)");
    assertThat(backend.outcomes).containsExactly(CallOutcome.NOT_SENT);
  }

  /** The response stays as it is. */
  @Test
  void trailersThatTheBackendDoesNotTakeComeTooLateForAReply() {
    backend.maxHeaderListBytes = LIMIT;
    App app = script.plain(false);
    backend.stream().handlerOf().onHeaders(headers(":status", "204"), true);

    app.call.onHeaders(headers("x-sum", TOKEN), true);

    assertThat(app.stream.log).containsExactly("H(:status=204)!");
    assertThat(backend.stream().log).endsWith("RST(CANCEL)");
    assertThat(backend.outcomes).containsExactly(CallOutcome.SUCCESS);
  }

  @Conformance("SC-39")
  @Test
  void anInterimHeadThatTheAppDoesNotTakeIsDropped() {
    App app = script.plain(true);
    app.stream.maxHeaderListBytes = LIMIT;
    backend.stream().handlerOf().onHeaders(headers(":status", "103", "link", TOKEN), false);
    backend.stream().handlerOf().onHeaders(headers(":status", "204"), true);

    assertThat(app.stream.log).containsExactly("H(:status=204)!");
  }

  @Conformance("SC-23")
  @ParameterizedTest(name = "in trailers: {0}")
  @ValueSource(booleans = {true, false})
  void aResponseThatTheAppDoesNotTakeIsReplacedByAStatus(boolean trailers) {
    App app = script.streaming();
    app.stream.maxHeaderListBytes = LIMIT;
    if (trailers) {
      script.respond();
      backend.stream().handlerOf().onHeaders(headers("grpc-status", "0", "x", TOKEN), true);
    } else {
      backend.stream().handlerOf().onHeaders(headers(":status", "200", "x", TOKEN), false);
    }

    assertThat(app.field("grpc-status")).isEqualTo("8");
    assertThat(app.field("grpc-message")).contains("the app takes at most 8192");
    assertThat(app.stream.log).noneMatch(block -> block.contains(TOKEN));
    assertThat(backend.outcomes).containsExactly(CallOutcome.NOT_SENT);
  }

  /** The connection reports which limit was exceeded. */
  @Conformance("SC-23")
  @Test
  void aResponseThatIsTooLargeForUsIsResourceExhausted() {
    App app = script.unary();
    script.respond();

    backend.stream()
        .handlerOf()
        .onFault(
            Http2Error.ENHANCE_YOUR_CALM,
            "header list is larger than 65536 bytes (--max-header-bytes)");

    assertThat(app.field("grpc-status")).isEqualTo("8");
    assertThat(app.field("grpc-message")).contains("65536").contains("--max-header-bytes");
    assertThat(backend.outcomes).containsExactly(CallOutcome.FAILURE);
  }
}
