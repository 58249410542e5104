package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Heads.headers;
import static io.outrigger.http2.testing.Heads.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.dataplane.calls.CallCounter;
import io.outrigger.dataplane.calls.CallStats;
import io.outrigger.dataplane.calls.CallTracer;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.KnownName;
import io.outrigger.http2.StreamHandler;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.tree.ClusterHandles;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.program.testing.mesh.OneRoute;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the forwarding of successful calls, and how the end of each side reaches the other side.
 */
class ForwardedCallTest {
  private final CallScript script = new CallScript().ready();
  private final FakeBackend backend = script.backend;

  @Test
  void aUnaryCallPassesBothWaysAndCountsOnce() {
    var app = script.streaming();
    app.data("ping", true);
    script.respond();
    backend.stream().handlerOf().onData(script.buffer("pong"), false);
    script.succeed();

    assertThat(backend.stream().log.get(1)).isEqualTo("D(ping)!");
    assertThat(app.stream.log)
        .containsExactly(
            "H(:status=200, content-type=application/grpc)", "D(pong)", "H(grpc-status=0)!");
    assertThat(backend.outcomes).containsExactly(CallOutcome.SUCCESS);
    assertThat(script.ended).containsExactly("OK/200");
    assertThat(script.cluster.callsInUse()).isZero();
    assertThat(script.unreleased()).isZero();
  }

  @Conformance("SC-13")
  @Test
  void bothDirectionsFlowBeforeTheAppHasEndedItsHalf() {
    var app = script.streaming();

    app.data("a", false);
    script.respond();
    backend.stream().handlerOf().onData(script.buffer("b"), false);
    app.data("c", true);

    assertThat(backend.stream().log.subList(1, 3)).containsExactly("D(a)", "D(c)!");
    assertThat(app.stream.log).endsWith("D(b)");
  }

  @Conformance("SC-19")
  @Test
  void statusDetailsAndTrailersOfTheBackendPassUnchanged() {
    var app = script.unary();
    script.respond();
    HeaderList trailers =
        headers(
            "grpc-status", "5",
            "grpc-message", "no such order",
            "grpc-status-details-bin", "CAUSBm9yZGVy",
            "x-cost", "7");

    backend.stream().handlerOf().onHeaders(trailers, true);

    assertThat(app.stream.last()).isSameAs(trailers);
    assertThat(backend.outcomes).containsExactly(CallOutcome.FAILURE);
    assertThat(script.ended).containsExactly("NOT_FOUND/200");
  }

  @Test
  void creditReturnsOnlyWhenBytesHaveLeftOnTheOtherSide() {
    var app = script.streaming();
    backend.stream().stall();
    app.data("12345", false);
    assertThat(app.stream.credit).isZero();

    backend.stream().drain();
    assertThat(app.stream.credit).isEqualTo(5);

    script.respond();
    app.stream.stall();
    backend.stream().handlerOf().onData(script.buffer("123"), false);
    assertThat(backend.stream().credit).isZero();
    app.stream.drain();
    assertThat(backend.stream().credit).isEqualTo(3);
  }

  @Conformance("SC-14")
  @Test
  void requestTrailersEndAGrpcRequestAndPassOtherwise() {
    var grpc = script.streaming();
    grpc.call.onHeaders(headers("x-late", "1"), true);
    assertThat(backend.stream().log).endsWith("D()!");

    var plain = script.plain(false);
    plain.call.onHeaders(headers("x-late", "1"), true);
    assertThat(backend.stream().log).endsWith("H(x-late=1)!");
  }

  @Conformance("SC-39")
  @Test
  void informationalResponsesAreForPlainHttpOnly() {
    HeaderList hints = headers(":status", "103", "link", "</a>");
    var grpc = script.unary();
    backend.stream().handlerOf().onHeaders(hints, false);
    var plain = script.plain(true);
    backend.stream().handlerOf().onHeaders(hints, false);
    backend.stream().handlerOf().onHeaders(headers(":status", "204"), true);

    assertThat(grpc.stream.log).isEmpty();
    assertThat(plain.stream.log).containsExactly("H(:status=103, link=</a>)", "H(:status=204)!");
  }

  @Conformance("SC-12")
  @Test
  void anAppThatLeavesCancelsTheBackendAndHearsNothing() {
    var app = script.streaming();
    app.data("x", false);

    app.call.onReset(Http2Error.CANCEL);

    assertThat(backend.stream().log).endsWith("RST(CANCEL)");
    assertThat(backend.outcomes).containsExactly(CallOutcome.FAILURE);
    assertThat(app.stream.log).isEmpty();
    assertThat(script.ended).containsExactly("CANCELLED/0");
    assertThat(script.forward.totals().count(CallCounter.CANCELLED)).isEqualTo(1);
  }

  @Test
  void aGrpcAnswerBeforeTheAppsEndStopsBothHalves() {
    var app = script.streaming();

    backend.stream().handlerOf().onHeaders(headers(":status", "200", "grpc-status", "0"), true);
    script.time.run();

    assertThat(app.stream.log).containsExactly("H(:status=200, grpc-status=0)!", "RST(NO_ERROR)");
    assertThat(backend.stream().log).endsWith("RST(CANCEL)");
    assertThat(backend.outcomes).containsExactly(CallOutcome.SUCCESS);
  }

  @Test
  void theAppIsStoppedOnlyWhenItsAnswerHasLeft() {
    var app = script.streaming();
    app.stream.stall();
    script.respond();
    backend.stream().handlerOf().onData(script.buffer("slow"), false);
    script.succeed();
    script.time.run();
    assertThat(app.stream.log).endsWith("H(grpc-status=0)!");

    app.stream.drain();

    assertThat(app.stream.log).endsWith("RST(NO_ERROR)");
  }

  @Test
  void aPlainRequestGoesOnAfterItsResponseUntilTheBackendHasEnough() {
    var app = script.plain(false);
    backend.stream().handlerOf().onHeaders(headers(":status", "200"), true);
    app.data("more", false);
    assertThat(backend.stream().log).endsWith("D(more)");
    assertThat(script.ended).isEmpty();

    backend.stream().handlerOf().onReset(Http2Error.NO_ERROR);
    script.time.run();

    assertThat(app.stream.log).endsWith("RST(NO_ERROR)");
    assertThat(script.ended).containsExactly("OK/200");
  }

  @Conformance("SC-28")
  @Test
  void plainResponsesBelow500AreSuccesses() {
    for (String status : new String[] {"200", "404", "499", "500", "503"}) {
      script.plain(true);
      backend.stream().handlerOf().onHeaders(headers(":status", status), true);
    }
    script.plain(true);
    backend.stream().handlerOf().onHeaders(headers(":status", "200"), false);
    backend.stream().handlerOf().onReset(Http2Error.INTERNAL_ERROR);

    assertThat(backend.outcomes)
        .containsExactly(
            CallOutcome.SUCCESS,
            CallOutcome.SUCCESS,
            CallOutcome.SUCCESS,
            CallOutcome.FAILURE,
            CallOutcome.FAILURE,
            CallOutcome.FAILURE);
  }

  @Conformance("SC-29")
  @ParameterizedTest
  @ValueSource(
      strings = {"host", "content-length", "te", "x-outrigger-wait-for-ready", "x-outrigger-local"})
  void trailersOfEitherSideLoseWhatHasNoPlaceThere(String name) {
    var app = script.plain(false).data("x", false);

    app.call.onHeaders(headers(name, "1", "x-sum", "7"), true);
    StreamHandler response = backend.stream().handlerOf();
    response.onHeaders(headers(":status", "200", "x-outrigger-local", "overload"), false);
    response.onHeaders(headers(name, "1", "x-sum", "8"), true);

    assertThat(backend.stream().log).endsWith("H(x-sum=7)!");
    assertThat(app.stream.log).containsExactly("H(:status=200)", "H(x-sum=8)!");
  }

  @Conformance("A31-08")
  @Test
  void theClusterIsReleasedWhenTheResponseBegins() {
    script.streaming();
    assertThat(script.cluster.callsInUse()).isEqualTo(1);

    script.respond();

    assertThat(script.cluster.callsInUse()).isZero();
  }

  @Conformance("A31-08")
  @ParameterizedTest(name = "{0} bytes more than are kept of a request: {1} calls hold the cluster")
  @CsvSource({"0, 1", "1, 0"})
  void theClusterIsReleasedWhenTheRequestCannotBeSentAgain(int more, int holding) {
    var app = script.streaming().data("x", false);
    assertThat(script.cluster.callsInUse()).isEqualTo(1);

    app.data("x".repeat(ReplayBuffer.MAX_BYTES - 1 + more), false);

    assertThat(script.cluster.callsInUse()).isEqualTo(holding);
    app.call.onReset(Http2Error.CANCEL);
    assertThat(script.cluster.callsInUse()).isZero();
    assertThat(script.unreleased()).isZero();
  }

  @Conformance("A31-01")
  @Test
  void aRequestKeepsTheRouteItWasGiven() {
    script.publishes(Connectivity.CONNECTING, call -> Samples.QUEUE);
    script.unary();
    var other = ClusterHandles.named("other");
    script.target.publish(OneRoute.selector(other, OneRoute.noLimit()));

    script.picks(backend.use);

    assertThat(backend.streams).hasSize(1);
    assertThat(other.callsInUse()).isZero();
  }

  @Test
  void aSelectorThatNamesARetiredClusterIsReadAgain() {
    ClusterHandles.retire(script.cluster);

    var app = script.unary();

    assertThat(app.field("grpc-status")).isEqualTo("13");
    assertThat(app.field("x-outrigger-local")).isEqualTo("xds_error");
  }

  @Conformance("A31-37")
  @Test
  void theBackendIsToldWhatIsLeftOfTheTime() {
    script.publishes(Connectivity.CONNECTING, call -> Samples.QUEUE);
    script.unary("grpc-timeout", "10S");
    script.time.advance(Duration.ofSeconds(4));
    script.picks(backend.use);
    assertThat(sentTimeout()).isEqualTo("6000000u");

    script.unary();
    assertThat(sentTimeout()).isEmpty();
  }

  @Conformance("A31-38")
  @Test
  void aPlainRequestHasNoDeadlineOfItsOwn() {
    script.plain(true, "grpc-timeout", "1n");
    assertThat(backend.streams).hasSize(1);

    script.routed(OneRoute.limit(Duration.ofSeconds(1)));
    var app = script.plain(true);
    script.time.advance(Duration.ofMillis(1010));
    assertThat(app.stream.log.get(0)).contains(":status=504");
  }

  @Test
  void lateEventsOfAnEndedCallAreLetGo() {
    var app = script.streaming();
    script.respond();
    script.succeed();
    int said = app.stream.log.size();

    backend.stream().handlerOf().onData(script.buffer("late"), false);
    app.data("late", true);
    app.call.onReset(Http2Error.CANCEL);
    backend.stream().handlerOf().onConnectionLost(StreamHandler.Refusal.NONE, "gone");

    assertThat(app.stream.log).hasSize(said);
    assertThat(script.unreleased()).isZero();
    assertThat(backend.outcomes).hasSize(1);
    assertThat(app.stream.credit).isEqualTo(4);
  }

  @Test
  void countersAddUp() {
    var app = script.streaming();
    app.data("abc", true);
    script.respond();
    backend.stream().handlerOf().onData(script.buffer("de"), false);
    script.time.advance(Duration.ofMillis(20));
    assertThat(script.forward.totals().active()).isEqualTo(1);
    script.succeed();

    CallStats.Totals totals = script.forward.totals();
    assertThat(totals.count(CallCounter.STARTED)).isEqualTo(1);
    assertThat(totals.active()).isZero();
    assertThat(totals.count(CallCounter.REQUEST_BYTES)).isEqualTo(3);
    assertThat(totals.count(CallCounter.RESPONSE_BYTES)).isEqualTo(2);
    assertThat(totals.byGrpcStatus()).containsEntry("OK", 1L);
    assertThat(totals.durations().sum()).isEqualTo(20_000_000);
  }

  private String sentTimeout() {
    var value = backend.stream().blocks.get(0).get(KnownName.GRPC_TIMEOUT);
    return value == null ? "" : value.toString();
  }

  @Test
  void aTrailersOnlyAnswerIsRelayedAsOneBlock() {
    var app = script.unary();
    HeaderList only =
        headers(":status", "200", "content-type", "application/grpc", "grpc-status", "7");

    backend.stream().handlerOf().onHeaders(only, true);

    assertThat(app.stream.last()).isSameAs(only);
    assertThat(app.stream.log).hasSize(1);
  }

  @Test
  void aPlainCallIsOverWhenTheRequestEndsAfterItsResponse() {
    var data = script.plain(false);
    backend.stream().handlerOf().onHeaders(headers(":status", "200"), true);
    data.data("more", true);
    assertThat(backend.stream().log).endsWith("D(more)!");
    assertThat(script.ended).containsExactly("OK/200");

    var trailers = script.plain(false);
    backend.stream().handlerOf().onHeaders(headers(":status", "404"), true);
    trailers.call.onHeaders(headers("x-sum", "7"), true);
    assertThat(backend.stream().log).endsWith("H(x-sum=7)!");
    assertThat(script.ended).containsExactly("OK/200", "OK/404");

    assertThat(trailers.stream.log).containsExactly("H(:status=404)!");
    assertThat(backend.outcomes).containsExactly(CallOutcome.SUCCESS, CallOutcome.SUCCESS);
  }

  @Test
  void anAppThatLeavesWithItsAnswerCompleteHearsNoMore() {
    var app = script.plain(false);
    backend.stream().handlerOf().onHeaders(headers(":status", "200"), true);

    app.call.onReset(Http2Error.CANCEL);

    assertThat(app.stream.log).containsExactly("H(:status=200)!");
    assertThat(backend.stream().log).endsWith("RST(CANCEL)");
    assertThat(script.ended).containsExactly("CANCELLED/200");
  }

  @Conformance("SC-26")
  @Test
  void aRequestWhoseHeadIsTooLargeIsAnsweredHere() {
    var grpc = script.new App();
    grpc.call.onTooLarge(request("content-type", "application/grpc"), true);
    var plain = script.new App();
    plain.call.onTooLarge(request(), false);
    script.time.run();

    assertThat(grpc.stream.log).hasSize(1);
    assertThat(grpc.field("grpc-status")).isEqualTo("8");
    assertThat(grpc.field("grpc-message")).contains("--max-header-bytes");
    assertThat(plain.stream.log.get(0)).contains(":status=431");
    assertThat(plain.stream.log).as("its body is not wanted").endsWith("RST(NO_ERROR)");
    assertThat(script.forward.totals().count(CallCounter.STARTED)).isEqualTo(2);
    assertThat(script.ended).hasSize(2);
    assertThat(backend.streams).isEmpty();
  }

  @Test
  void picksSeeTheHeadersAndTheLoopOfTheirCall() {
    List<String> seen = new ArrayList<>();
    script.publishes(
        Connectivity.READY,
        call -> {
          seen.add(call.loop() + " " + call.header("x-user") + " " + call.header("x-none"));
          return backend.use;
        });
    var forward =
        new Forward(
            "orders",
            DefaultSettings.forward(CallScript.NODE),
            TargetResolver.fixed(script.target),
            call -> {},
            CallTracer.NONE,
            DefaultSettings.MEMORY,
            3);
    var second = new CallLoop(2, script.time, script.time::nanoTime, script.time, script.random);

    new ForwardedCall(forward, forward.app(), second, new FakeStream())
        .onHeaders(request("content-type", "application/grpc", "x-user", "ann"), true);

    assertThat(seen).containsExactly("2 ann null");
    assertThat(forward.totals().count(CallCounter.STARTED)).isEqualTo(1);
  }
}
