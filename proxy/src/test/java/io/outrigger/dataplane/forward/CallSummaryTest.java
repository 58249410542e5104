package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.route.RetryPolicy;
import io.outrigger.dataplane.calls.CallCounter;
import io.outrigger.dataplane.calls.CallObserver;
import io.outrigger.dataplane.calls.CallRecord;
import io.outrigger.dataplane.calls.CallSpans;
import io.outrigger.dataplane.calls.CallStats;
import io.outrigger.dataplane.calls.CallSummary;
import io.outrigger.dataplane.forward.CallScript.App;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.StreamHandler;
import io.outrigger.http2.testing.Heads;
import io.outrigger.lb.PickResult;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.program.testing.mesh.OneRoute;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the data about whole calls that observers, counters and spans receive. */
class CallSummaryTest {
  private static final RetryPolicy POLICY =
      new RetryPolicy(Set.of(Code.UNAVAILABLE), 2, Duration.ofMillis(1), Duration.ofMillis(1));

  private final List<String> told = new ArrayList<>();
  private final List<String> spans = new ArrayList<>();
  private final CallScript script = new CallScript();

  CallSummaryTest() {
    script.tracer = request -> new Spans();
    script.observer = this::tell;
    script.forward = script.forward(DefaultSettings.forward(CallScript.NODE));
  }

  @AfterEach
  void nothingIsLeftBehind() {
    assertThat(script.unreleased()).isZero();
  }

  private boolean tell(CallSummary summary) {
    CallRecord call = summary.record("orders", 0);
    String cluster = String.valueOf(summary.clusterName());
    EndpointAddress address = summary.address();
    told.add(
        "%s %s%s grpc=%s".formatted(call.method(), call.authority(), call.path(), call.isGrpc()));
    told.add("%s %s %s".formatted(call.code(), call.httpStatus(), call.localReason()));
    told.add("%s".formatted(call.route()));
    told.add("%s %s".formatted(call.cluster(), cluster));
    told.add("%s %s".formatted(call.endpoint(), address));
    told.add("%s %s x%s".formatted(call.locality(), call.priority(), call.attempts()));
    told.add("%s %s".formatted(call.durationNanos(), call.timeoutNanos()));
    told.add("%s %s".formatted(call.requestBytes(), call.responseBytes()));
    told.add("trace " + call.traceparent());
    return true;
  }

  private final class Spans implements CallSpans {
    @Override
    public void attemptBegins(int previousAttempts, boolean transparent) {
      spans.add("attempt " + previousAttempts + (transparent ? " transparent" : ""));
    }

    @Override
    public void message(boolean isRequest, long sequence, long bytes, boolean isCompressed) {
      spans.add((isRequest ? "out " : "in ") + sequence + ":" + bytes);
    }

    @Override
    public void attemptFailed(RpcStatus failure) {
      spans.add("failed " + failure.code());
    }

    @Override
    public void ended(RpcStatus status) {
      spans.add("ended " + status.code());
    }
  }

  private CallStats.Totals totals() {
    return script.forward.totals();
  }

  @Test
  void aCallThatABackendAnswered() {
    script.named("charge", OneRoute.limit(Duration.ofSeconds(3))).picks(script.backend.use);
    App app = script.streaming("traceparent", "00-a-b-01");
    app.data("\0\0\0\0\3", false);
    app.data("678", true);
    script.time.advance(Duration.ofMillis(20));
    script.respond();
    script.backend.stream().handlerOf().onData(script.buffer("\0\0\0\0\3abc"), false);
    script.succeed();

    assertThat(told)
        .containsExactly(
            "POST app.local/pkg.Svc/Call grpc=true",
            "OK 200 Optional.empty",
            "Optional[charge]",
            "Optional[pay] pay",
            "Optional[10.0.0.1:80] 10.0.0.1:80",
            "Optional[" + script.backend.backend().locality() + "] OptionalInt[1] x1",
            "20000000 3000000000",
            "8 8",
            "trace 00-a-b-01");
    assertThat(spans).containsExactly("attempt 0", "out 0:3", "in 0:3", "ended OK");
    assertThat(totals().count(CallCounter.REQUEST_BYTES)).isEqualTo(8);
    assertThat(totals().count(CallCounter.RESPONSE_BYTES)).isEqualTo(8);
    assertThat(totals().byGrpcStatus()).containsEntry("OK", 1L);
    assertThat(totals().count(CallCounter.UNOBSERVED)).isZero();
    assertThat(totals().methods().get("other").ended().values())
        .singleElement()
        .satisfies(
            byCode ->
                assertThat(byCode.get(Code.OK).received().sum())
                    .as("without the prefix")
                    .isEqualTo(3));
  }

  @Test
  void aCallThatIsAnsweredHereBeforeAnythingIsKnown() {
    script
        .ready()
        .picks(new PickResult.Drop(RpcStatus.unavailable("full"), PickResult.Reason.OVERLOAD_DROP));
    script.unary();

    assertThat(told.get(1)).isEqualTo("UNAVAILABLE 200 Optional[OVERLOAD]");
    assertThat(told.get(2)).isEqualTo("Optional.empty");
    assertThat(told.get(4)).isEqualTo("Optional.empty null");
    assertThat(told.get(5)).isEqualTo("Optional.empty OptionalInt.empty x0");
    assertThat(told.get(8)).isEqualTo("trace ");
    assertThat(totals().byLocalReason()).isEqualTo(Map.of("overload", 1L));
    assertThat(totals().succeeded()).isZero();
  }

  @Test
  void requestsThatAreNotGrpcCountByTheClassOfTheirStatus() {
    script.ready();
    for (int status : new int[] {200, 204, 302, 404, 503}) {
      script.plain(true);
      StreamHandler response = script.backend.stream().handlerOf();
      response.onHeaders(Heads.headers(":status", Integer.toString(status)), status == 204);
      if (status != 204) {
        response.onData(script.buffer("body"), true);
      }
    }
    App app = script.plain(true);
    app.call.onReset(Http2Error.CANCEL);

    assertThat(told.get(0)).endsWith("grpc=false");
    assertThat(told.get(1)).isEqualTo("OK 200 Optional.empty");
    assertThat(spans).as("nobody traces them").isEmpty();
    CallStats.Totals totals = totals();
    assertThat(totals.byHttpClass()).isEqualTo(Map.of("2xx", 2L, "3xx", 1L, "4xx", 1L, "5xx", 1L));
    assertThat(totals.succeeded()).as("below 500").isEqualTo(4);
    assertThat(totals.count(CallCounter.CANCELLED)).isEqualTo(1);
    assertThat(totals.count(CallCounter.ENDED)).isEqualTo(6);
    assertThat(totals.methods().get("other").calls()).isEmpty();
  }

  @Test
  void attemptsAreToldInOrder() {
    script.ready().retried(POLICY);
    script.unary();
    script.backend.stream()
        .handlerOf()
        .onHeaders(Heads.headers(":status", "200", "grpc-status", "14"), true);
    script.time.advance(Duration.ofMillis(5));
    script.backend.stream().handlerOf().onReset(Http2Error.REFUSED_STREAM);
    script.time.advance(Duration.ofMillis(5));
    script.respond();
    script.succeed();

    assertThat(spans)
        .containsExactly(
            "attempt 0",
            "failed UNAVAILABLE",
            "attempt 1",
            "failed UNAVAILABLE",
            "attempt 1 transparent",
            "ended OK");
    assertThat(told.get(5)).endsWith("x3");
    assertThat(totals().count(CallCounter.RETRIED)).isEqualTo(1);
    assertThat(totals().count(CallCounter.TRANSPARENT_RETRIES)).isEqualTo(1);
  }

  @Test
  void whatTheObserverLosesIsCounted() {
    script.observer = call -> call.onLost().run();
    script.ready();
    script.unary();
    script.respond();
    script.succeed();

    assertThat(totals().count(CallCounter.UNOBSERVED)).isEqualTo(1);
  }

  @Test
  void twoObserversAreToldInTheirOrder() {
    List<String> heard = new ArrayList<>();
    CallObserver first = call -> heard.add("first");
    script.observer = first.and(call -> heard.add("second"));
    script.ready();
    script.unary();
    script.respond();
    script.succeed();

    assertThat(heard).containsExactly("first", "second");
  }

  @Test
  void theTimeOfACallBeginsWithItsArrival() {
    List<Long> nanos = new ArrayList<>();
    script.observer = call -> nanos.add(call.durationNanos());
    script.time.advance(Duration.ofNanos(1_000));
    script.ready();
    script.unary();
    script.time.advance(Duration.ofNanos(234));
    script.respond();
    script.succeed();

    assertThat(nanos).containsExactly(234L);
  }
}
