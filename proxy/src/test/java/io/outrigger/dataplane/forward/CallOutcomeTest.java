package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Heads.headers;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.dataplane.orca.OrcaReports;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.StreamHandler;
import io.outrigger.lb.BackendMetrics;
import io.outrigger.lb.CallOutcome;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.Base64;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the outcome that balancing counts for an attempt sent to a backend (A50). */
class CallOutcomeTest {
  private final CallScript script = new CallScript().ready();
  private final FakeBackend backend = script.backend;

  @Conformance("A50-12")
  @ParameterizedTest(name = "grpc-status \"{0}\"")
  @ValueSource(
      strings = {
        "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16",
        "17", "99", "00", "-1", "x", ""
      })
  void onlyOkIsASuccess(String status) {
    boolean isOk = status.equals("0") || status.equals("00");
    CallOutcome expected = isOk ? CallOutcome.SUCCESS : CallOutcome.FAILURE;

    script.unary();
    script.respond();
    backend.stream().handlerOf().onHeaders(headers("grpc-status", status), true);
    assertThat(backend.outcomes).as("in trailers").containsExactly(expected);

    script.unary();
    backend.stream()
        .handlerOf()
        .onHeaders(
            headers(":status", "200", "content-type", "application/grpc", "grpc-status", status),
            true);
    assertThat(backend.outcomes).as("in one block").containsExactly(expected, expected);
  }

  @Conformance("A50-12")
  @Test
  void aCallThatTheAppCancelsIsAFailure() {
    var app = script.unary();

    app.call.onReset(Http2Error.CANCEL);

    assertThat(backend.outcomes).containsExactly(CallOutcome.FAILURE);
  }

  @Conformance("A50-12")
  @Test
  void aCallWhoseDeadlineTheProxyKeepsIsAFailure() {
    script.unary("grpc-timeout", "100m");

    script.time.advance(Duration.ofMillis(110));

    assertThat(backend.outcomes).containsExactly(CallOutcome.FAILURE);
  }

  /** A call that the proxy ends on either side does not count against the backend. */
  @Conformance("A50-12")
  @ParameterizedTest(name = "memory of the backend''s stream: {0}, head has come: {1}")
  @CsvSource({"false, false", "false, true", "true, false", "true, true"})
  void aCallThatWeEndForMemoryCountsAsNothing(boolean ofBackend, boolean begun) {
    var app = script.unary();
    if (begun) {
      script.respond();
    }

    StreamHandler ended = ofBackend ? backend.stream().handlerOf() : app.call;
    ended.onOverload();
    ended.onConnectionLost(StreamHandler.Refusal.NONE, "out of memory");

    assertThat(backend.outcomes).containsExactly(CallOutcome.NOT_SENT);
    assertThat(app.field("x-outrigger-local")).isEqualTo("overload");
    assertThat(app.field("grpc-message"))
        .startsWith("requests hold as much memory as allowed (--max-memory)");
  }

  @Conformance("A50-12")
  @Test
  void aCompleteResponseStaysCompleteIfItsConnectionEndsForMemory() {
    var app = script.plain(false);
    script.respond();
    backend.stream().handlerOf().onHeaders(headers("grpc-status", "0"), true);

    backend.stream().handlerOf().onOverload();
    backend.stream().handlerOf().onConnectionLost(StreamHandler.Refusal.NONE, "out of memory");

    assertThat(app.field("x-outrigger-local")).isEmpty();
    assertThat(backend.outcomes).containsExactly(CallOutcome.SUCCESS);
  }

  @Conformance("A50-12")
  @Test
  void aRequestThatWeDidNotSendForMemoryIsSentAgain() {
    var app = script.unary();

    StreamHandler ended = backend.stream().handlerOf();
    ended.onOverload();
    ended.onConnectionLost(StreamHandler.Refusal.OF_CONNECTION, "out of memory");
    script.time.run();
    script.respond();
    backend.stream().handlerOf().onHeaders(headers("grpc-status", "0"), true);

    assertThat(app.field("grpc-status")).isEqualTo("0");
    assertThat(backend.outcomes).containsExactly(CallOutcome.NOT_SENT, CallOutcome.SUCCESS);
  }

  /**
   * The request is sent again and succeeds; this counts as another attempt (decision proxy-0039, as
   * in gRPC).
   */
  @Conformance("A50-12")
  @ParameterizedTest
  @EnumSource
  void anAttemptThatIsNotTakenUpIsAFailure(NotTakenUp how) {
    script.unary();

    how.end(backend.stream().handlerOf());
    script.time.run();
    script.respond();
    backend.stream().handlerOf().onHeaders(headers("grpc-status", "0"), true);

    assertThat(backend.outcomes).containsExactly(CallOutcome.FAILURE, CallOutcome.SUCCESS);
  }

  /** The ways in which a backend guarantees that it did not process a request. */
  @SuppressWarnings("ImmutableEnumChecker") // the lambdas have no state
  enum NotTakenUp {
    REFUSED(handler -> handler.onReset(Http2Error.REFUSED_STREAM)),
    PASSED_OVER(
        handler ->
            handler.onConnectionLost(StreamHandler.Refusal.OF_CONNECTION, "GOAWAY NO_ERROR")),
    LOST(
        handler ->
            handler.onConnectionLost(StreamHandler.Refusal.OF_CALL, "GOAWAY ENHANCE_YOUR_CALM"));

    private final Consumer<StreamHandler> end;

    NotTakenUp(Consumer<StreamHandler> end) {
      this.end = end;
    }

    void end(StreamHandler handler) {
      end.accept(handler);
    }
  }

  /** The backend's load report goes to balancing as well as to the app (A51). */
  @Conformance("A58-05")
  @Test
  void theLoadThatEndsAnAnswerCounts() {
    String report =
        Base64.getEncoder().encodeToString(new byte[] {0x09, 0, 0, 0, 0, 0, 0, -32, 63});
    var app = script.unary();
    script.respond();

    backend.stream()
        .handlerOf()
        .onHeaders(headers("grpc-status", "0", OrcaReports.TRAILER.toString(), report), true);

    assertThat(backend.reports)
        .singleElement()
        .extracting(BackendMetrics::cpuUtilization)
        .isEqualTo(0.5);
    assertThat(app.field(OrcaReports.TRAILER.toString())).isEqualTo(report);
  }
}
