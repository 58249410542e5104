package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Heads.headers;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.route.FilterConfig.Abort;
import io.outrigger.config.route.FilterConfig.Delay;
import io.outrigger.config.route.FilterConfig.Fault;
import io.outrigger.config.route.Fraction;
import io.outrigger.config.route.RetryPolicy;
import io.outrigger.dataplane.calls.CallCounter;
import io.outrigger.dataplane.forward.CallScript.App;
import io.outrigger.dataplane.orca.OrcaReports;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.StreamHandler;
import io.outrigger.lb.BackendMetrics;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.PickResult;
import io.outrigger.program.testing.mesh.OneRoute;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests requests that are sent again because of a retry policy or a refusal. */
class RetryTest {
  private static final Duration BACKOFF = Duration.ofMillis(100);

  /** A time longer than any back-off of the policy. */
  private static final Duration A_WHILE = Duration.ofMillis(1300);

  private static final RetryPolicy POLICY =
      new RetryPolicy(Set.of(Code.UNAVAILABLE, Code.INTERNAL), 3, BACKOFF, Duration.ofSeconds(1));

  private final CallScript script = new CallScript().ready().retried(POLICY);
  private final FakeBackend first = script.backend;
  private final FakeBackend second = new FakeBackend("10.0.0.2");

  @AfterEach
  void nothingIsLeftBehind() {
    assertThat(script.unreleased()).isZero();
  }

  /** Later attempts go to the second backend. */
  private void thenSecond() {
    script.picks(second.use);
  }

  private static HeaderList status(int code, String... more) {
    String[] fields = new String[6 + more.length];
    fields[0] = ":status";
    fields[1] = "200";
    fields[2] = "content-type";
    fields[3] = "application/grpc";
    fields[4] = "grpc-status";
    fields[5] = Integer.toString(code);
    System.arraycopy(more, 0, fields, 6, more.length);
    return headers(fields);
  }

  private static void fails(FakeBackend backend, String... more) {
    backend.stream().handlerOf().onHeaders(status(14, more), true);
  }

  /** The hyper library ends a Trailers-Only response with an empty DATA frame. */
  @Conformance("A44-06")
  @Test
  void aHeadWithAStatusThatEmptyDataEndsIsRetriedLikeTrailersOnly() {
    var app = script.unary();
    thenSecond();
    first.stream().handlerOf().onHeaders(status(14), false);
    assertThat(app.stream.log).isEmpty();
    first.stream().handlerOf().onData(Unpooled.EMPTY_BUFFER, true);
    script.time.advance(A_WHILE);
    succeeds(second);

    assertThat(app.field("grpc-status")).isEqualTo("0");
    assertThat(app.stream.log).hasSize(1);
  }

  private static void succeeds(FakeBackend backend) {
    backend.stream().handlerOf().onHeaders(status(0), true);
  }

  @Conformance({"A44-06", "A44-08", "A44-11", "A31-04"})
  @Test
  void aFailureInOneBlockIsRetriedWithAPickOfItsOwn() {
    App app = script.unary();
    thenSecond();

    fails(first);
    assertThat(app.stream.log).isEmpty();
    assertThat(second.streams).isEmpty();
    script.time.advance(A_WHILE);

    assertThat(first.stream().log.get(0)).doesNotContain("grpc-previous-rpc-attempts");
    assertThat(second.stream().log).singleElement().asString().endsWith("!");
    assertThat(second.stream().log.get(0)).contains("grpc-previous-rpc-attempts=1");
    succeeds(second);
    assertThat(app.stream.log).hasSize(1);
    assertThat(app.field("grpc-status")).isEqualTo("0");
    assertThat(first.outcomes).containsExactly(CallOutcome.FAILURE);
    assertThat(second.outcomes).containsExactly(CallOutcome.SUCCESS);
    assertThat(script.ended).containsExactly("OK/200");
    assertThat(script.forward.totals().count(CallCounter.RETRIED)).isEqualTo(1);
    assertThat(script.cluster.callsInUse()).isZero();
  }

  @Conformance({"A44-02", "A44-10", "A44-11"})
  @Test
  void theLastAttemptsAnswerIsTheAppsWithAllItSays() {
    App app = script.unary();

    fails(first, "grpc-message", "one");
    script.time.advance(A_WHILE);
    fails(first, "grpc-message", "two");
    script.time.advance(A_WHILE);
    assertThat(first.stream().log.get(0)).contains("grpc-previous-rpc-attempts=2");
    fails(first, "grpc-message", "three", "x-more", "yes");

    assertThat(first.streams).hasSize(3);
    assertThat(app.stream.log).hasSize(1);
    assertThat(app.field("grpc-message")).isEqualTo("three");
    assertThat(app.field("x-more")).isEqualTo("yes");
    assertThat(app.field("x-outrigger-local")).isEmpty();
    script.time.advance(A_WHILE);
    assertThat(first.streams).hasSize(3);
  }

  @Conformance("A58-05")
  @Test
  void theLoadBesideAFailureThatIsRetriedCounts() {
    String report =
        Base64.getEncoder().encodeToString(new byte[] {0x09, 0, 0, 0, 0, 0, 0, -32, 63});
    script.unary();
    thenSecond();

    fails(first, OrcaReports.TRAILER.toString(), report);

    assertThat(first.reports)
        .singleElement()
        .extracting(BackendMetrics::cpuUtilization)
        .isEqualTo(0.5);
  }

  @Conformance("A44-01")
  @Test
  void aCodeThatIsNotThePolicysIsFinal() {
    App app = script.unary();

    first.stream().handlerOf().onHeaders(status(5), true);

    assertThat(app.field("grpc-status")).isEqualTo("5");
  }

  @Conformance({"A44-06", "SC-33"})
  @Test
  void onceAResponseHasBegunItIsTheResponse() {
    App app = script.unary();

    script.respond();
    assertThat(script.cluster.callsInUse()).isZero(); // A31-08
    first.stream().handlerOf().onHeaders(headers("grpc-status", "14"), true);

    assertThat(app.stream.log).hasSize(2);
    assertThat(app.field("grpc-status")).isEqualTo("14");
    assertThat(first.streams).hasSize(1);
  }

  @Conformance("A44-06")
  @Test
  void aConnectionLostAfterTheResponseBeganIsFinal() {
    App app = script.unary();
    script.respond();

    first.stream().handlerOf().onConnectionLost(StreamHandler.Refusal.OF_CALL, "gone");

    assertThat(app.field("grpc-status")).isEqualTo("14");
    assertThat(first.streams).hasSize(1);
  }

  @Conformance("SC-18")
  @Test
  void anAnswerThatIsNotGrpcIsRetriedByItsMappedCode() {
    App app = script.unary();
    thenSecond();

    first.stream()
        .handlerOf()
        .onHeaders(headers(":status", "503", "content-type", "text/html"), false);
    assertThat(first.stream().log).last().isEqualTo("RST(CANCEL)");
    first.stream().handlerOf().onData(script.buffer("<html>"), true);
    script.time.advance(A_WHILE);
    succeeds(second);

    assertThat(app.stream.log).hasSize(1);
    assertThat(app.field("grpc-status")).isEqualTo("0");
  }

  @Conformance({"SC-15", "SC-16"})
  @ParameterizedTest(name = "{0} -> retried: {1}")
  @CsvSource({
    "INTERNAL_ERROR,     true",
    "PROTOCOL_ERROR,     true",
    "CANCEL,             false",
    "ENHANCE_YOUR_CALM,  false",
  })
  void aResetIsRetriedByItsMappedCode(Http2Error error, boolean retried) {
    App app = script.unary();
    thenSecond();

    first.stream().handlerOf().onReset(error);
    script.time.advance(A_WHILE);

    assertThat(second.streams).hasSize(retried ? 1 : 0);
    assertThat(app.stream.log).hasSize(retried ? 0 : 1);
  }

  @Conformance("SC-16")
  @Test
  void aLostConnectionIsRetriedAsUnavailable() {
    script.unary();
    thenSecond();

    first.stream().handlerOf().onConnectionLost(StreamHandler.Refusal.NONE, "gone");
    script.time.advance(A_WHILE);

    assertThat(second.stream().log.get(0)).contains("grpc-previous-rpc-attempts=1");
  }

  // Request data.

  @Conformance("A44-09")
  @Test
  void theWholeBodyIsSentAgainInOrderWithItsEnd() {
    App app = script.streaming().data("one ", false).data("two ", true);
    thenSecond();

    fails(first);
    script.time.advance(A_WHILE);

    assertThat(first.stream().log.subList(1, 3)).containsExactly("D(one )", "D(two )!");
    assertThat(second.stream().log.subList(1, 2)).containsExactly("D(one two )!");
    succeeds(second);
    assertThat(app.field("grpc-status")).isEqualTo("0");
  }

  @Conformance("A44-09")
  @Test
  void aStreamThatGoesOnIsRetriedAndGoesOn() {
    App app = script.streaming().data("one ", false);
    thenSecond();

    fails(first);
    assertThat(first.stream().log).last().isEqualTo("RST(CANCEL)"); // ends the failed attempt
    app.data("two ", false);
    script.time.advance(A_WHILE);
    app.data("three", true);

    assertThat(second.stream().log.subList(1, 3)).containsExactly("D(one two )", "D(three)!");
    succeeds(second);
    assertThat(app.field("grpc-status")).isEqualTo("0");
  }

  @Test
  void bytesSentAgainEarnTheAppNoCreditAgain() {
    App app = script.streaming().data("one ", false);
    assertThat(app.stream.credit).isEqualTo(4);
    fails(first);
    app.data("two ", false);
    assertThat(app.stream.credit).isEqualTo(4);
    script.time.advance(A_WHILE);

    assertThat(app.stream.credit).isEqualTo(8);
    app.data("three", true);
    assertThat(app.stream.credit).isEqualTo(13);
    succeeds(first);
  }

  @Test
  void bytesThatNeverLeftEarnTheirCreditLater() {
    thenSecond();
    second.mode = FakeBackend.Mode.WAITS;
    App app = script.streaming();
    second.openAll();
    second.stream().stall();
    app.data("stuck", true);
    assertThat(app.stream.credit).isZero();

    fails(second);
    script.time.advance(A_WHILE);

    assertThat(app.stream.credit).isEqualTo(5);
    succeeds(second);
  }

  @Conformance("SC-33")
  @Test
  void aRequestThatOutgrowsItsCopyIsCommitted() {
    String half = "x".repeat(ReplayBuffer.MAX_BYTES / 2);
    App app = script.streaming().data(half, false).data(half, false);
    assertThat(script.forward.replays.held()).isEqualTo(ReplayBuffer.MAX_BYTES);

    app.data("y", false);
    assertThat(script.forward.replays.held()).isZero();
    assertThat(script.forward.totals().count(CallCounter.NOT_REPLAYABLE)).isEqualTo(1);
    fails(first);

    assertThat(app.field("grpc-status")).isEqualTo("14");
    assertThat(first.streams).hasSize(1);
    assertThat(first.stream().log.subList(1, 4))
        .containsExactly("D(" + half + ")", "D(" + half + ")", "D(y)");
  }

  @Conformance("SC-33")
  @Test
  void aRequestThatOutgrowsItsCopyBetweenAttemptsHasOneLeft() {
    String most = "x".repeat(ReplayBuffer.MAX_BYTES);
    App app = script.streaming().data(most, false);
    thenSecond();
    fails(first);

    app.data("y", false);
    script.time.advance(A_WHILE);
    assertThat(second.stream().log.subList(1, 3)).containsExactly("D(" + most + ")", "D(y)");
    fails(second);

    assertThat(app.field("grpc-status")).isEqualTo("14");
    assertThat(second.streams).hasSize(1);
    assertThat(script.forward.replays.held()).isZero();
  }

  @Conformance("SC-33")
  @Test
  void allCallsOfAForwardShareABudget() {
    String most = "x".repeat(ReplayBuffer.MAX_BYTES);
    int calls = (int) (ReplayBuffer.MAX_BYTES_OF_FORWARD / ReplayBuffer.MAX_BYTES);
    App[] apps = new App[calls];
    for (int i = 0; i < calls; i++) {
      apps[i] = script.streaming().data(most, true);
    }

    App late = script.streaming().data("y", true);
    fails(first);
    assertThat(late.field("grpc-status")).isEqualTo("14"); // there was no room for its copy

    for (App app : apps) {
      app.call.onReset(Http2Error.CANCEL);
    }
    assertThat(script.forward.replays.held()).isZero();
    thenSecond();
    App again = script.streaming().data("z", true);
    fails(second);
    assertThat(again.stream.log).isEmpty();
    again.call.onReset(Http2Error.CANCEL);
  }

  @Test
  void aBodyThatCameBeforeTheRouteIsKeptToo() {
    var slow = new CallScript().picks(first.use);
    App app = slow.streaming().data("early ", false);
    slow.retried(POLICY);
    slow.time.run();
    app.data("late", true);

    fails(first);
    slow.time.advance(A_WHILE);

    assertThat(first.stream().log).last().isEqualTo("D(early late)!");
    succeeds(first);
    assertThat(app.field("grpc-status")).isEqualTo("0");
    assertThat(slow.unreleased()).isZero();
  }

  @Test
  void theCopyIsLetGoWhenAResponseBegins() {
    script.streaming().data("body", true);
    assertThat(script.forward.replays.held()).isEqualTo(4);

    script.respond();

    assertThat(script.forward.replays.held()).isZero();
    script.succeed();
  }

  @Test
  void withoutAPolicyAFailureIsFinalThoughTheBodyIsThere() {
    script.routed(OneRoute.noLimit());
    App app = script.streaming().data("body", true);

    fails(first);
    script.time.advance(A_WHILE);

    assertThat(app.field("grpc-status")).isEqualTo("14");
    assertThat(first.streams).hasSize(1);
  }

  @Conformance("SC-28")
  @Test
  void aRequestThatIsNotGrpcIsNotRetried() {
    App app = script.plain(false).data("body", true);

    first.stream().handlerOf().onHeaders(headers(":status", "503"), true);

    assertThat(app.field(":status")).isEqualTo("503");
    assertThat(first.streams).hasSize(1);
  }

  // Transparent retries.

  /** The body was sent, and a copy is kept. */
  @Conformance("SC-34")
  @ParameterizedTest
  @EnumSource(Refusal.class)
  void aRefusedRequestGoesElsewhereAtOnceAndIsNotCounted(Refusal refusal) {
    App app = script.streaming().data("body", true);
    thenSecond();

    refusal.by(first);
    script.time.run();

    assertThat(second.stream().log.get(0)).doesNotContain("grpc-previous-rpc-attempts");
    assertThat(second.stream().log.get(1)).isEqualTo("D(body)!");
    assertThat(script.forward.totals().count(CallCounter.TRANSPARENT_RETRIES)).isEqualTo(1);
    assertThat(script.forward.totals().count(CallCounter.RETRIED)).isZero();
    for (int attempt = 2; attempt <= 3; attempt++) { // all that the policy has are still there
      fails(second);
      script.time.advance(A_WHILE);
      assertThat(app.stream.log).isEmpty();
    }
    fails(second);
    assertThat(app.field("grpc-status")).isEqualTo("14");
  }

  /** The ways in which a backend reports that it did not process a request. */
  enum Refusal {
    REFUSED_STREAM,
    GOAWAY;

    void by(FakeBackend backend) {
      var handler = backend.stream().handlerOf();
      if (this == REFUSED_STREAM) {
        handler.onReset(Http2Error.REFUSED_STREAM);
      } else {
        handler.onConnectionLost(StreamHandler.Refusal.OF_CALL, "GOAWAY");
      }
    }
  }

  @Conformance("SC-34")
  @ParameterizedTest
  @EnumSource(Refusal.class)
  void theSecondRefusalIsForThePolicy(Refusal refusal) {
    script.streaming().data("body", true);
    refusal.by(first);
    script.time.run();
    thenSecond();

    refusal.by(first);
    script.time.run();
    assertThat(second.streams).isEmpty();
    script.time.advance(A_WHILE);

    assertThat(second.stream().log.get(0)).contains("grpc-previous-rpc-attempts=1");
    succeeds(second);
  }

  /** An app may repeat a refused call on its own, even beyond the policy's number of retries. */
  @Conformance({"A44-02", "SC-33"})
  @ParameterizedTest(name = "after {0} failed attempts: {1}")
  @CsvSource({"0, RST(REFUSED_STREAM)", "1, 14"})
  void aRefusalAfterAnEarlierAttemptIsNotTheApps(int failures, String end) {
    App app = script.unary();
    for (int i = 0; i < failures; i++) {
      fails(first);
      script.time.advance(A_WHILE);
    }
    script.respond();

    Refusal.REFUSED_STREAM.by(first);

    assertThat(first.streams).hasSize(failures + 1);
    if (failures == 0) {
      assertThat(app.stream.log).last().isEqualTo(end);
    } else {
      assertThat(app.field("grpc-status")).isEqualTo(end);
    }
  }

  @Conformance("SC-34")
  @Test
  void whatNeverLeftIsTriedAnewWithoutLimit() {
    first.mode = FakeBackend.Mode.WAITS;
    App app = script.unary();
    for (int i = 0; i < 20; i++) {
      script.picks(first.use);
      first.failAll();
      script.time.run();
    }
    first.openAll();

    assertThat(first.stream().log.get(0)).doesNotContain("grpc-previous-rpc-attempts");
    succeeds(first);
    assertThat(app.field("grpc-status")).isEqualTo("0");
    assertThat(script.forward.totals().count(CallCounter.RETRIED)).isZero();
  }

  // Deadlines.

  @Conformance("A44-05")
  @Test
  void theBackendMaySayWhenToTryAgain() {
    script.unary();
    thenSecond();

    fails(first, "grpc-retry-pushback-ms", "700");
    script.time.advance(Duration.ofMillis(699));
    assertThat(second.streams).isEmpty();
    script.time.advance(Duration.ofMillis(10));

    assertThat(second.streams).hasSize(1);
    succeeds(second);
  }

  @Conformance("A44-05")
  @Test
  void theBackendMayForbidIt() {
    App app = script.unary();

    fails(first, "grpc-retry-pushback-ms", "-1");

    assertThat(app.field("grpc-status")).isEqualTo("14");
  }

  @Conformance({"SC-10", "A31-31"})
  @Test
  void aDeadlineBetweenAttemptsIsKeptAndNothingIsSentLater() {
    App app = script.unary("grpc-timeout", "50m");
    thenSecond();
    fails(first, "grpc-retry-pushback-ms", "500");

    script.time.advance(Duration.ofMillis(49));
    assertThat(app.stream.log).isEmpty();
    script.time.advance(Duration.ofMillis(10));

    assertThat(app.stream.log).hasSize(1);
    assertThat(app.field("grpc-status")).isEqualTo("4");
    assertThat(app.field("x-outrigger-local")).isEqualTo("deadline");
    assertThat(app.field("grpc-message"))
        .contains("another attempt in cluster")
        .contains("UNAVAILABLE");
    script.time.advance(A_WHILE);
    assertThat(second.streams).isEmpty();
    assertThat(app.stream.log).hasSize(1);
    assertThat(script.cluster.callsInUse()).isZero();
  }

  @Conformance({"A31-31", "A31-37"})
  @Test
  void eachAttemptHasOnlyTheTimeThatIsLeft() {
    App app = script.unary("grpc-timeout", "2S");
    thenSecond();
    fails(first, "grpc-retry-pushback-ms", "1500");
    script.time.advance(Duration.ofMillis(1510));

    assertThat(second.stream().log.get(0)).containsPattern("grpc-timeout=49\\d{4}u");
    script.time.advance(Duration.ofMillis(500));
    assertThat(app.field("grpc-status")).isEqualTo("4");
  }

  @Conformance("SC-12")
  @Test
  void anAppThatLeavesBetweenAttemptsIsForgotten() {
    App app = script.streaming().data("body", false);
    thenSecond();
    fails(first);

    app.call.onReset(Http2Error.CANCEL);
    script.time.advance(A_WHILE);

    assertThat(second.streams).isEmpty();
    assertThat(script.cluster.callsInUse()).isZero();
    assertThat(script.forward.replays.held()).isZero();
    assertThat(script.ended).hasSize(1);
  }

  // Picks.

  @Conformance("A44-08")
  @Test
  void aPickThatFailsIsRetriedByThePolicy() {
    script.fails("no backend");
    App app = script.unary();
    assertThat(app.stream.log).isEmpty();
    thenSecond();
    script.time.advance(A_WHILE);

    assertThat(second.stream().log.get(0)).contains("grpc-previous-rpc-attempts=1");
    succeeds(second);
    assertThat(app.field("grpc-status")).isEqualTo("0");
  }

  @Conformance({"A44-08", "A44-10"})
  @Test
  void picksThatGoOnFailingEndTheCall() {
    script.fails("no backend");
    App app = script.unary();
    script.time.advance(A_WHILE);
    script.time.advance(A_WHILE);

    assertThat(app.field("grpc-status")).isEqualTo("14");
    assertThat(app.field("grpc-message")).contains("no backend");
    assertThat(app.field("x-outrigger-local")).isEqualTo("no_healthy_upstream");
    assertThat(script.forward.totals().count(CallCounter.RETRIED)).isEqualTo(2);
  }

  @Conformance("A44-08")
  @Test
  void aDropIsFinal() {
    App app = script.unary();
    script.picks(
        new PickResult.Drop(RpcStatus.unavailable("limit"), PickResult.Reason.CIRCUIT_BREAKER));

    fails(first);
    script.time.advance(A_WHILE);

    assertThat(app.field("x-outrigger-local")).isEqualTo("circuit_breaker");
    assertThat(script.forward.totals().count(CallCounter.RETRIED)).isEqualTo(1);
  }

  @Test
  void aFailureOfTheConfigurationIsFinal() {
    script.picks(new PickResult.Fail(RpcStatus.unavailable("cluster is invalid"), true));

    App app = script.unary();

    assertThat(app.field("grpc-message")).startsWith("cluster is invalid");
    assertThat(app.field("x-outrigger-local")).isEqualTo("xds_error");
    assertThat(script.forward.totals().count(CallCounter.RETRIED)).isZero();
  }

  @Conformance({"A31-01", "A31-04"})
  @Test
  void anotherRouteMeanwhileIsNotThisCalls() {
    App app = script.unary();
    fails(first);
    script.routed(OneRoute.limit(Duration.ofMillis(1)));

    script.time.advance(A_WHILE);
    fails(first);
    script.time.advance(A_WHILE);
    succeeds(first);

    assertThat(first.streams).hasSize(3);
    assertThat(app.field("grpc-status")).isEqualTo("0");
  }

  // Filters.

  @Conformance("A31-43")
  @Test
  void aFaultComesOnceAndBeforeAllAttempts() {
    var always = new Fraction(100, 100);
    var abort = new Abort(Optional.of(14), Optional.empty(), always);
    script.faultyAndRetried(
        new Fault(Optional.empty(), Optional.of(abort), Optional.empty()), POLICY);
    assertThat(script.unary().field("x-outrigger-local")).isEqualTo("fault");

    var delay = new Delay(Optional.of(Duration.ofSeconds(5)), always);
    script.faultyAndRetried(
        new Fault(Optional.of(delay), Optional.empty(), Optional.empty()), POLICY);
    App app = script.unary();
    script.time.advance(Duration.ofMillis(5010));
    fails(first);
    script.time.advance(A_WHILE);

    assertThat(first.streams).hasSize(2);
    succeeds(first);
    assertThat(app.field("grpc-status")).isEqualTo("0");
  }

  /** SC-31: the value that the app sent is ignored. */
  @Conformance("SC-31")
  @Test
  void theNumberOfAttemptsIsOursToSay() {
    script.unary("grpc-previous-rpc-attempts", "7");
    thenSecond();
    fails(first);
    script.time.advance(A_WHILE);

    assertThat(first.stream().log.get(0)).doesNotContain("grpc-previous-rpc-attempts");
    assertThat(second.stream().log.get(0))
        .contains("grpc-previous-rpc-attempts=1")
        .doesNotContain("attempts=7");
    succeeds(second);
  }

  @Conformance("SC-12")
  @Test
  void anAppThatLeavesDuringABackoffLeavesNoTimer() {
    App app = script.unary();
    fails(first);
    assertThat(script.loop.deadlines.armed()).isEqualTo(1);

    app.call.onReset(Http2Error.CANCEL);

    assertThat(script.loop.deadlines.armed()).isZero();
    script.time.advance(A_WHILE);
    assertThat(first.streams).hasSize(1);
  }
}
