package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Heads.headers;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.dataplane.calls.CallCounter;
import io.outrigger.dataplane.forward.CallScript.App;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.StreamHandler;
import io.outrigger.testing.Conformance;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests requests without a retry policy that a backend refuses while their body is in flight. */
class RefusedRequestTest {
  private final CallScript script = new CallScript().ready();
  private final FakeBackend first = script.backend;
  private final FakeBackend second = new FakeBackend("10.0.0.2");

  @AfterEach
  void nothingIsLeftBehind() {
    assertThat(script.unreleased()).isZero();
    assertThat(script.forward.totals().count(CallCounter.NOT_REPLAYABLE))
        .isZero(); // there is no retry policy
  }

  private void refusedAndSecondNext() {
    script.picks(second.use);
    first.stream().handlerOf().onReset(Http2Error.REFUSED_STREAM);
    script.time.run();
  }

  private void secondAnswers() {
    second.stream().handlerOf().onHeaders(headers("grpc-status", "0"), true);
  }

  @Conformance("SC-34")
  @Test
  void aSmallBodyGoesElsewhereWithItsRequest() {
    App app = script.streaming().data("one ", false).data("two", true);

    refusedAndSecondNext();

    assertThat(second.stream().log.get(0)).doesNotContain("grpc-previous-rpc-attempts");
    assertThat(second.stream().log.subList(1, 2)).containsExactly("D(one two)!");
    assertThat(app.stream.credit).isEqualTo(7);
    secondAnswers();
    assertThat(app.field("grpc-status")).isEqualTo("0");
    assertThat(script.forward.totals().count(CallCounter.TRANSPARENT_RETRIES)).isEqualTo(1);
  }

  @Conformance("SC-34")
  @Test
  void aStreamThatHasOnlyBegunGoesOnElsewhere() {
    App app = script.streaming().data("one ", false);

    refusedAndSecondNext();
    app.data("two", true);

    assertThat(second.stream().log.subList(1, 3)).containsExactly("D(one )", "D(two)!");
    secondAnswers();
    assertThat(app.field("grpc-status")).isEqualTo("0");
  }

  @Conformance("SC-34")
  @Test
  void theSecondRefusalIsTheAnswer() {
    App app = script.streaming().data("body", true);
    refusedAndSecondNext();

    second.stream().handlerOf().onReset(Http2Error.REFUSED_STREAM);
    script.time.run();

    assertThat(app.field("grpc-status")).isEqualTo("14");
    assertThat(second.streams).hasSize(1);
  }

  @Conformance({"SC-34", "SC-35"})
  @Test
  void aRequestOutlivesAnyNumberOfConnectionsThatEndInOrderBeforeTheyComeToIt() {
    App app = script.streaming().data("body", true);

    for (int i = 0; i < CallAttempts.MAX_TRANSPARENT_RETRIES; i++) {
      first.stream()
          .handlerOf()
          .onConnectionLost(StreamHandler.Refusal.OF_CONNECTION, "GOAWAY NO_ERROR");
      script.time.run();
    }

    assertThat(first.streams).hasSize(CallAttempts.MAX_TRANSPARENT_RETRIES + 1);
    assertThat(first.stream().log.subList(1, 2)).containsExactly("D(body)!");
    first.stream()
        .handlerOf()
        .onConnectionLost(StreamHandler.Refusal.OF_CONNECTION, "GOAWAY NO_ERROR");
    script.time.run();
    assertThat(app.field("grpc-status")).isEqualTo("14");
    assertThat(first.streams).hasSize(CallAttempts.MAX_TRANSPARENT_RETRIES + 1);
  }

  @Conformance("SC-34")
  @Test
  void aRefusalAfterAConnectionThatEndedInOrderIsTheAnswer() {
    App app = script.streaming().data("body", true);
    first.stream()
        .handlerOf()
        .onConnectionLost(StreamHandler.Refusal.OF_CONNECTION, "GOAWAY NO_ERROR");
    script.time.run();

    first.stream()
        .handlerOf()
        .onConnectionLost(StreamHandler.Refusal.OF_CALL, "GOAWAY ENHANCE_YOUR_CALM");
    script.time.run();

    assertThat(app.field("grpc-status")).isEqualTo("14");
    assertThat(first.streams).hasSize(2);
  }

  @Conformance("SC-34")
  @Test
  void aBodyAtTheBoundIsKeptAndOneOfWhichMoreHasLeftIsNot() {
    String most = "x".repeat(ReplayBuffer.MAX_BYTES);
    App app = script.streaming().data(most, false);

    refusedAndSecondNext();
    assertThat(second.stream().log.subList(1, 2)).containsExactly("D(" + most + ")");
    app.data("y", true);
    assertThat(second.stream().log.subList(2, 3)).containsExactly("D(y)!");
    secondAnswers();

    script.picks(first.use);
    App large = script.streaming().data(most, false).data("y", true);
    refusedAndSecondNext();
    assertThat(large.field("grpc-status")).isEqualTo("14");
    assertThat(second.streams).hasSize(1);
  }

  /**
   * The backend's window was closed, so the backend received nothing of the body, whatever its
   * size.
   */
  @Conformance("SC-34")
  @Test
  void aBodyOfAnySizeThatHasNotLeftGoesElsewhere() {
    App app = script.streaming();
    first.stream().stall();
    String part = "x".repeat(50_000);
    app.data(part + "1", false).data(part + "2", false).data(part + "3", false);

    refusedAndSecondNext();
    app.data("end", true);

    String all = part + "1" + part + "2" + part + "3end";
    assertThat(contentOf(second)).isEqualTo(all);
    assertThat(app.stream.credit).isEqualTo(all.length());
    secondAnswers();
    assertThat(app.field("grpc-status")).isEqualTo("0");
  }

  /** The first window of the body was sent; the rest waits for credit that never arrives. */
  @Conformance("SC-34")
  @Test
  void aBodyOfWhichOneWindowHasLeftGoesElsewhere() {
    String window = "w".repeat(65_535);
    App app = script.streaming().data(window, false);
    first.stream().stall();
    app.data("one more", false).data("and the end", true);

    refusedAndSecondNext();

    assertThat(contentOf(second)).isEqualTo(window + "one moreand the end");
    assertThat(app.stream.credit).isEqualTo(window.length() + 19);
    secondAnswers();
    assertThat(app.field("grpc-status")).isEqualTo("0");
  }

  private static String contentOf(FakeBackend backend) {
    return backend.stream().log.stream()
        .filter(line -> line.startsWith("D("))
        .map(line -> line.replaceAll("^D\\(|\\)!?$", ""))
        .collect(Collectors.joining());
  }

  @Test
  void aBodyThatOutgrowsItsCopyBetweenBackendsStillGoesToTheSecond() {
    String most = "x".repeat(ReplayBuffer.MAX_BYTES);
    App app = script.streaming().data(most, false);
    script.picks(second.use);
    first.stream().handlerOf().onReset(Http2Error.REFUSED_STREAM);

    app.data("y", true); // before the next pick
    script.time.run();

    assertThat(second.stream().log.subList(1, 3)).containsExactly("D(" + most + ")", "D(y)!");
    secondAnswers();
    assertThat(app.field("grpc-status")).isEqualTo("0");
  }

  @Conformance("SC-34")
  @Test
  void aPlainRequestIsGivenOnWithBodyAndTrailers() {
    App app = script.plain(false).data("body", false);
    app.call.onHeaders(headers("x-sum", "7"), true);

    refusedAndSecondNext();

    assertThat(second.stream().log.subList(1, 3)).containsExactly("D(body)", "H(x-sum=7)!");
    second.stream().handlerOf().onHeaders(headers(":status", "204"), true);
    assertThat(app.field(":status")).isEqualTo("204");
  }

  @Test
  void nothingIsCopiedWhenMemoryRunsShort() {
    script.memory.hold(60);
    App app = script.streaming().data("body", true);

    refusedAndSecondNext();

    assertThat(app.field("grpc-status")).isEqualTo("14");
    assertThat(second.streams).isEmpty();
  }

  @Conformance("SC-34")
  @Test
  void aBodyThatHasNotLeftOutlivesTheConnectionThatWasToTakeIt() {
    App app = script.streaming();
    first.stream().stall();
    String part = "x".repeat(50_000);
    app.data(part + "1", false).data(part + "2", false).data("end", true);

    script.picks(second.use);
    first.stream()
        .handlerOf()
        .onConnectionLost(StreamHandler.Refusal.OF_CONNECTION, "GOAWAY NO_ERROR");
    script.time.run();

    String all = part + "1" + part + "2end";
    assertThat(contentOf(second)).isEqualTo(all);
    assertThat(app.stream.credit).isEqualTo(all.length());
    secondAnswers();
    assertThat(app.field("grpc-status")).isEqualTo("0");
  }

  @Conformance("SC-12")
  @Test
  void aRequestWhoseAppLeavesBetweenTwoBackendsGoesNowhere() {
    App app = script.streaming().data("body", true);
    script.picks(second.use);
    first.stream().handlerOf().onReset(Http2Error.REFUSED_STREAM);

    app.call.onReset(Http2Error.CANCEL);
    script.time.run();

    assertThat(second.streams).isEmpty();
    assertThat(script.ended).containsExactly("CANCELLED/0");
  }
}
