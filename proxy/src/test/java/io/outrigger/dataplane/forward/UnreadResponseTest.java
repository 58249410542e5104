package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Heads.headers;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.dataplane.forward.CallScript.App;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.StreamHandler;
import io.outrigger.program.testing.mesh.OneRoute;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests complete responses that the app does not read. */
final class UnreadResponseTest {
  private final CallScript script = new CallScript();

  @AfterEach
  void nothingIsLeftBehind() {
    assertThat(script.unreleased()).isZero();
  }

  private void answered(App app) {
    script.respond();
    app.stream.stall();
    script.backend.stream().handlerOf().onData(script.buffer("answer"), false);
    script.succeed();
  }

  @Conformance("SC-08")
  @Test
  void theDeadlineEndsACallThatTheBackendHasFinished() {
    script.routed(OneRoute.limit(Duration.ofSeconds(3))).picks(script.backend.use);
    App app = script.unary();
    answered(app);
    assertThat(script.ended).containsExactly("OK/200");

    script.time.advance(Duration.ofSeconds(4));

    assertThat(app.stream.log).contains("DROP");
    assertThat(app.field("grpc-status")).isEqualTo("4");
    assertThat(app.field("x-outrigger-local")).isEqualTo("deadline");
    assertThat(script.ended).hasSize(1);
  }

  @Test
  void oneThatIsReadInTimeIsLeftAlone() {
    script.routed(OneRoute.limit(Duration.ofSeconds(3))).picks(script.backend.use);
    App app = script.unary();
    answered(app);
    assertThat(script.loop.deadlines.armed()).isEqualTo(1);
    app.stream.drain();
    assertThat(script.loop.deadlines.armed()).isZero();

    script.time.advance(Duration.ofSeconds(4));

    assertThat(app.field("grpc-status")).isEqualTo("0");
  }

  @Conformance("SC-08")
  @Test
  void theDeadlineEndsAPlainAnswerByAReset() {
    script.routed(OneRoute.limit(Duration.ofSeconds(3))).picks(script.backend.use);
    App app = script.plain(true);
    script.backend.stream().handlerOf().onHeaders(headers(":status", "200"), false);
    app.stream.stall();
    script.backend.stream().handlerOf().onData(script.buffer("answer"), true);
    assertThat(script.ended).containsExactly("OK/200");

    script.time.advance(Duration.ofSeconds(4));

    assertThat(app.stream.log).containsExactly("H(:status=200)", "D(answer)!", "RST(CANCEL)");
  }

  @Conformance({"SC-08", "SC-24"})
  @Test
  void anAppThatStillSendsIsStoppedWhenItIsToldOfTheDeadline() {
    script.routed(OneRoute.limit(Duration.ofSeconds(3))).picks(script.backend.use);
    App app = script.streaming();
    answered(app);

    script.time.advance(Duration.ofSeconds(4));

    assertThat(app.stream.log).contains("DROP").endsWith("RST(NO_ERROR)");
    assertThat(app.field("grpc-status")).isEqualTo("4");
  }

  @Test
  void aPlainAppThatStillSendsIsStoppedWhenItsAnswerHasLeft() {
    script.ready();
    App app = script.plain(false);
    script.backend.stream().handlerOf().onHeaders(headers(":status", "200"), false);
    app.stream.stall();
    script.backend.stream().handlerOf().onData(script.buffer("answer"), true);
    script.backend.stream().handlerOf().onReset(Http2Error.NO_ERROR);
    script.time.run();
    assertThat(app.stream.log).endsWith("D(answer)!");

    app.stream.drain();

    assertThat(app.stream.log).endsWith("RST(NO_ERROR)");
  }

  @Test
  void aPlainAnswerThatWasBegunEndsInAReset() {
    script.routed(OneRoute.limit(Duration.ofSeconds(3))).picks(script.backend.use);
    App late = begun();
    script.time.advance(Duration.ofSeconds(4));
    App lost = begun();
    script.backend.stream().handlerOf().onConnectionLost(StreamHandler.Refusal.NONE, "gone");

    assertThat(late.stream.log).containsExactly("H(:status=200)", "D(part)", "RST(CANCEL)");
    assertThat(lost.stream.log).containsExactly("H(:status=200)", "D(part)", "RST(INTERNAL_ERROR)");
  }

  /** A request that is not gRPC, with an incomplete response. */
  private App begun() {
    App app = script.plain(true);
    script.backend.stream().handlerOf().onHeaders(headers(":status", "200"), false);
    script.backend.stream().handlerOf().onData(script.buffer("part"), false);
    return app;
  }

  @Test
  void anAnswerThatWasResetIsNotUnread() {
    var stream = new FakeStream();
    stream.stall();
    var app = new DownstreamResponse(stream, Runnable::run);
    app.headers(headers(":status", "200"));
    app.data(script.buffer("answer"), true);
    assertThat(app.hasUnread()).isTrue();

    app.reset(Http2Error.CANCEL);

    assertThat(app.hasUnread()).isFalse();
  }

  @Test
  void anAnswerThatIsNotCompleteIsNotUnread() {
    var stream = new FakeStream();
    stream.stall();
    var app = new DownstreamResponse(stream, Runnable::run);
    app.headers(headers(":status", "200"));
    app.data(script.buffer("part"), false);

    assertThat(app.hasUnread()).isFalse();
    stream.takeUnsent().release();
  }

  @Test
  void anAppThatLeavesTakesItsDeadlineWithIt() {
    script.routed(OneRoute.limit(Duration.ofSeconds(3))).picks(script.backend.use);
    App app = script.unary();
    answered(app);

    app.call.onConnectionLost(StreamHandler.Refusal.NONE, "gone");
    app.stream.takeUnsent().release();

    assertThat(script.loop.deadlines.armed()).isZero();
  }

  /** The app has ended its request, but the backend was not sent all of it. */
  @Test
  void aBackendThatAnswersBeforeItWasSentAllIsReset() {
    script.ready();
    App app = script.streaming();
    script.backend.stream().stall();
    app.data("a body that the backend does not take", true);

    script.backend.stream().handlerOf().onHeaders(headers("grpc-status", "0"), true);

    assertThat(app.field("grpc-status")).isEqualTo("0");
    assertThat(script.backend.stream().log).endsWith("RST(CANCEL)");
  }

  @Test
  void aBackendThatWasSentAllIsNotReset() {
    script.ready();
    script.streaming().data("body", true);

    script.backend.stream().handlerOf().onHeaders(headers("grpc-status", "0"), true);

    assertThat(script.backend.stream().log).noneMatch(line -> line.startsWith("RST"));
  }

  /**
   * Clients use the last status. With any other choice, only the proxy would count the call as
   * successful.
   */
  @Conformance("SC-18")
  @Test
  void theLastOfSeveralStatusesCounts() {
    script.ready();
    App app = script.unary();
    script.respond();

    script.backend.stream()
        .handlerOf()
        .onHeaders(headers("grpc-status", "0", "grpc-status", "13"), true);

    assertThat(script.backend.outcomes).containsExactly(io.outrigger.lb.CallOutcome.FAILURE);
    assertThat(script.ended).containsExactly("INTERNAL/200");
    assertThat(app.stream.last().size()).isEqualTo(2);
  }

  @Test
  void whatBelongsToOneHopIsTakenOutOfTrailers() {
    script.ready();
    App app = script.plain(false);
    app.call.onHeaders(
        headers(
            "x-sum",
            "7",
            "host",
            "evil",
            "content-length",
            "3",
            "x-outrigger-wait-for-ready",
            "true"),
        true);
    assertThat(script.backend.stream().last()).hasToString("x-sum=7");

    script.backend.stream().handlerOf().onHeaders(headers(":status", "200"), false);
    script.backend.stream().handlerOf().onHeaders(headers("x-sum", "8", "host", "evil"), true);
    assertThat(app.stream.last()).hasToString("x-sum=8");
  }

  @Test
  void onlyTheProxySaysThatAnAnswerIsItsOwn() {
    script.ready();
    App app = script.unary();

    script.backend.stream()
        .handlerOf()
        .onHeaders(headers(":status", "200", "x-outrigger-local", "overload"), false);
    script.backend.stream()
        .handlerOf()
        .onHeaders(headers("grpc-status", "0", "x-outrigger-local", "overload"), true);

    assertThat(app.stream.blocks.toString()).doesNotContain("x-outrigger-local");
  }
}
