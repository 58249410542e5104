package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Heads.headers;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.Http2Error;
import io.outrigger.lb.CallOutcome;
import io.outrigger.program.testing.mesh.OneRoute;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Deadlines of calls in each phase, and races between the deadline and other ends of a call. */
class CallDeadlineTest {
  private final CallScript script = new CallScript().ready();
  private final FakeBackend backend = script.backend;

  @Conformance("SC-06")
  @ParameterizedTest
  @ValueSource(strings = {"0n", "0H", "00000000S"})
  void noTimeAtAllIsAnsweredAtOnce(String timeout) {
    var app = script.unary("grpc-timeout", timeout);

    assertThat(app.field("grpc-status")).isEqualTo("4");
    assertThat(app.field("x-outrigger-local")).isEqualTo("deadline");
    assertThat(backend.streams).isEmpty();
  }

  @Conformance("SC-07")
  @Test
  void beforeTheHeadItIsOneBlockAndTheBackendIsCancelled() {
    var app = script.unary("grpc-timeout", "100m");
    script.time.advance(Duration.ofMillis(99));
    assertThat(app.stream.log).isEmpty();

    script.time.advance(Duration.ofMillis(10));

    assertThat(app.stream.log).hasSize(1);
    assertThat(app.field(":status")).isEqualTo("200");
    assertThat(app.field("grpc-status")).isEqualTo("4");
    assertThat(app.field("grpc-message"))
        .isEqualTo(
            "deadline exceeded after 100ms, waiting for the response of 10.0.0.1:80 in cluster"
                + " \"pay\"; xDS node ID: node-1");
    assertThat(backend.stream().log).endsWith("RST(CANCEL)");
    assertThat(backend.outcomes).containsExactly(CallOutcome.FAILURE);
  }

  /** A reset by the app from then on is not counted as abuse. */
  @Test
  void timeIsUpFromHalfOfTheLimitOn() {
    var app = script.unary("grpc-timeout", "100m");
    var unlimited = script.unary();

    script.time.advance(Duration.ofMillis(49));
    assertThat(app.call.isTimeUp()).isFalse();
    script.time.advance(Duration.ofMillis(1));
    assertThat(app.call.isTimeUp()).isTrue();
    assertThat(unlimited.call.isTimeUp()).isFalse();
  }

  @Conformance("SC-08")
  @Test
  void afterTheHeadItIsTrailers() {
    var app = script.unary("grpc-timeout", "100m");
    script.respond();

    script.time.advance(Duration.ofMillis(110));

    assertThat(app.stream.log).hasSize(2);
    assertThat(app.field(":status")).isEmpty();
    assertThat(app.field("grpc-status")).isEqualTo("4");
    assertThat(app.stream.log.get(1)).endsWith("!");
    assertThat(backend.stream().log).endsWith("RST(CANCEL)");
  }

  @Conformance("SC-08")
  @Test
  void anAppThatDoesNotReadIsToldInTime() {
    var app = script.unary("grpc-timeout", "100m");
    script.respond();
    app.stream.stall();
    backend.stream().handlerOf().onData(script.buffer("12345"), false);

    script.time.advance(Duration.ofMillis(110));

    assertThat(app.stream.log).contains("DROP");
    assertThat(app.field("grpc-status")).isEqualTo("4");
    assertThat(app.stream.pendingBytes()).isZero();
  }

  @Test
  void anAnswerInPlainTextIsNoCreditForTheBackend() {
    var late = new CallScript().picks(backend.use).routed(OneRoute.limit(Duration.ofMillis(100)));
    var app = late.plain(true);

    late.time.advance(Duration.ofMillis(110));

    assertThat(app.stream.log.get(0)).contains(":status=504");
    assertThat(app.stream.log.get(1)).startsWith("D(deadline exceeded").endsWith("!");
    assertThat(backend.stream().log).endsWith("RST(CANCEL)");
    assertThat(backend.stream().credit).isZero();
    assertThat(late.ended).containsExactly("DEADLINE_EXCEEDED/504/deadline");
  }

  @Conformance("SC-09")
  @Test
  void whileItWaitsTheTextSaysForWhat() {
    var queued = new CallScript().routed(OneRoute.noLimit());
    var app = queued.unary("grpc-timeout", "100m");
    queued.time.advance(Duration.ofMillis(110));
    assertThat(app.field("grpc-status")).isEqualTo("4");
    assertThat(app.field("grpc-message"))
        .isEqualTo(
            "deadline exceeded after 100ms, waiting for a connection in cluster \"pay\", which is"
                + " CONNECTING; xDS node ID: node-1");

    queued.fails("all failed (CDS: stale; xDS node ID: node-1)");
    var patient = queued.unary("grpc-timeout", "100m", "x-outrigger-wait-for-ready", "true");
    queued.time.advance(Duration.ofMillis(110));
    assertThat(patient.field("grpc-message"))
        .endsWith("TRANSIENT_FAILURE: all failed (CDS: stale; xDS node ID: node-1)");

    var unrouted = new CallScript();
    var early = unrouted.unary("grpc-timeout", "100m");
    unrouted.time.advance(Duration.ofMillis(110));
    assertThat(early.field("grpc-message")).contains("the configuration of xds:///orders");
    assertThat(unrouted.target.parked()).isZero();
  }

  @Conformance("SC-11")
  @Test
  void theBackendsStatusAndTheDeadlineNeverBothReachTheApp() {
    var backendFirst = script.unary("grpc-timeout", "100m");
    script.time.advance(Duration.ofMillis(100));
    script.respond();
    script.succeed();
    script.time.advance(Duration.ofMillis(50));
    assertThat(backendFirst.stream.log).hasSize(2);
    assertThat(backendFirst.field("grpc-status")).isEqualTo("0");

    var deadlineFirst = script.unary("grpc-timeout", "100m");
    script.respond();
    script.time.advance(Duration.ofMillis(110));
    backend.stream().handlerOf().onHeaders(headers("grpc-status", "0"), true);
    assertThat(deadlineFirst.stream.log).hasSize(2);
    assertThat(deadlineFirst.field("grpc-status")).isEqualTo("4");
    assertThat(script.ended).containsExactly("OK/200", "DEADLINE_EXCEEDED/200/deadline");
  }

  @Conformance({"SC-11", "A31-37"})
  @Test
  void aBackendWhoseClockIsATickAheadDoesNotHideTheDeadline() {
    var before = script.unary("grpc-timeout", "100m");
    script.time.advance(Duration.ofMillis(100));
    backend.stream().handlerOf().onReset(Http2Error.CANCEL);
    assertThat(before.field("grpc-status")).isEqualTo("4");
    assertThat(before.field("grpc-message")).contains("waiting for the response of");

    var after = script.unary("grpc-timeout", "100m");
    script.respond();
    script.time.advance(Duration.ofMillis(100));
    backend.stream().handlerOf().onReset(Http2Error.CANCEL);
    assertThat(after.field("grpc-status")).isEqualTo("4");
  }

  @Conformance("A31-31")
  @Test
  void theClockStartsWithTheHeadersAndRunsThroughEveryWait() {
    var slow = new CallScript();
    var app = slow.unary("grpc-timeout", "1S");
    slow.time.advance(Duration.ofMillis(400));
    slow.routed(OneRoute.noLimit());
    slow.time.advance(Duration.ofMillis(400));
    slow.picks(slow.backend.use);
    assertThat(slow.backend.stream().log.get(0)).contains("grpc-timeout=200000u");

    slow.time.advance(Duration.ofMillis(210));

    assertThat(app.field("grpc-status")).isEqualTo("4");
  }

  @Test
  void aRouteWhoseLimitHasPassedWhileWaitingIsAnsweredAtOnce() {
    var slow = new CallScript().picks(new FakeBackend("10.0.0.9").use);
    var app = slow.unary();
    slow.time.advance(Duration.ofSeconds(5));

    slow.routed(OneRoute.limit(Duration.ofSeconds(2)));
    slow.time.run();

    assertThat(app.field("grpc-status")).isEqualTo("4");
    assertThat(slow.cluster.callsInUse()).isZero();
  }

  @Conformance("A31-33")
  @Test
  void aNewLimitIsForTheNextRequest() {
    script.routed(OneRoute.limit(Duration.ofSeconds(10)));
    var before = script.unary();
    script.routed(OneRoute.limit(Duration.ofSeconds(1)));
    var after = script.unary();

    script.time.advance(Duration.ofMillis(1010));

    assertThat(before.stream.log).isEmpty();
    assertThat(after.field("grpc-status")).isEqualTo("4");
  }

  @Test
  void aFarDeadlineDoesNotOverflow() {
    var app = script.unary("grpc-timeout", "99999999H");

    script.time.advance(Duration.ofDays(100));

    assertThat(app.stream.log).isEmpty();
    assertThat(backend.stream().log.get(0)).contains("grpc-timeout=");
  }

  /** Timers may fire one tick late, and a stream may open before they fire. */
  @Conformance("SC-11")
  @Test
  void aStreamThatOpensWhenTheTimeIsOverIsNotUsed() {
    backend.mode = FakeBackend.Mode.WAITS;
    var app = script.unary("grpc-timeout", "100m");
    script.time.advance(Duration.ofMillis(100));
    assertThat(app.stream.log).isEmpty();

    backend.openAll();

    assertThat(app.stream.log).hasSize(1);
    assertThat(app.field("grpc-status")).isEqualTo("4");
    assertThat(backend.stream().log).containsExactly("RST(CANCEL)");
  }

  @Test
  void aConfigurationThatComesWhenTheTimeIsOverIsNotUsed() {
    var slow = new CallScript().picks(backend.use);
    var app = slow.unary("grpc-timeout", "100m");
    slow.time.advance(Duration.ofMillis(100));
    assertThat(app.stream.log).isEmpty();

    slow.routed(OneRoute.noLimit());
    slow.time.run();

    assertThat(app.stream.log).hasSize(1);
    assertThat(app.field("grpc-status")).isEqualTo("4");
    assertThat(backend.streams).isEmpty();
    assertThat(slow.cluster.callsInUse()).isZero();
  }

  /** The app has the whole response; only the backend could still receive data of the request. */
  @Test
  void theTimeOfAPlainRequestEndsWithItsAnswerComplete() {
    script.routed(OneRoute.limit(Duration.ofSeconds(1)));
    var app = script.plain(false);
    backend.stream().handlerOf().onHeaders(headers(":status", "200"), true);
    assertThat(script.ended).isEmpty();

    script.time.advance(Duration.ofMillis(1010));

    assertThat(script.ended).containsExactly("OK/200");
    assertThat(app.stream.log).containsExactly("H(:status=200)!", "RST(NO_ERROR)");
    assertThat(backend.stream().log).endsWith("RST(CANCEL)");
    assertThat(backend.outcomes).containsExactly(CallOutcome.SUCCESS);
  }

  @Test
  void aCallThatEndsBeforeItsTimeHasNoTimer() {
    script.unary("grpc-timeout", "10S");
    assertThat(script.loop.deadlines.armed()).isEqualTo(1);

    script.respond();
    script.succeed();

    assertThat(script.loop.deadlines.armed()).isZero();
  }
}
