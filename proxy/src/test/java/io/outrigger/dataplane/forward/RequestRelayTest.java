package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Heads.headers;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.dataplane.forward.CallScript.App;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.PendingData;
import io.outrigger.program.testing.mesh.OneRoute;
import io.outrigger.testing.Conformance;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests request bodies that wait for a route, for a backend or for a retry, and their accounting.
 */
class RequestRelayTest {
  private static final int COPY = ReplayBuffer.MAX_BYTES;

  private final CallScript script = new CallScript();
  private final FakeBackend first = script.backend;
  private final FakeBackend second = new FakeBackend("10.0.0.2");

  @AfterEach
  void nothingIsLeftBehind() {
    assertThat(script.unreleased()).isZero();
  }

  private void routed() {
    script.routed(OneRoute.noLimit());
    script.time.run();
  }

  private static String contentOf(FakeBackend backend) {
    return backend.stream().log.stream()
        .filter(line -> line.startsWith("D("))
        .map(line -> line.replaceAll("^D\\(|\\)!?$", ""))
        .collect(Collectors.joining());
  }

  private static void succeeds(FakeBackend backend) {
    backend.stream().handlerOf().onHeaders(headers("grpc-status", "0"), true);
  }

  // Data before routing.

  @Test
  void aBodyOfWhichOnlyTheBeginningCanBeCopiedWaitsForItsRouteInOrder() {
    App app = script.streaming();
    String a = "a".repeat(60_000);
    String b = "b".repeat(10_000);
    String c = "c".repeat(5_000);
    app.data(a, false).data(b, false).data(c, true);

    routed();
    script.picks(first.use);

    assertThat(contentOf(first)).isEqualTo(a + b + c);
    assertThat(first.stream().log).last().asString().endsWith("!");
    succeeds(first);
    assertThat(app.stream.credit).isEqualTo(75_000);
  }

  /** Each piece is large enough to be kept without copying. */
  @Conformance("SC-34")
  @Test
  void allPiecesThatCameBeforeTheRouteAreCopied() {
    App app = script.streaming();
    String a = "a".repeat(5_000);
    String b = "b".repeat(6_000);
    String c = "c".repeat(7_000);
    app.data(a, false).data(b, false);
    routed();
    app.data(c, false);
    script.picks(first.use);
    assertThat(contentOf(first)).isEqualTo(a + b + c);

    script.picks(second.use);
    first.stream().handlerOf().onReset(Http2Error.REFUSED_STREAM);
    script.time.run();
    app.data("end", true);

    assertThat(contentOf(second)).isEqualTo(a + b + c + "end");
    succeeds(second);
    assertThat(app.field("grpc-status")).isEqualTo("0");
  }

  @Test
  void anAppThatLeavesTakesWhatWaitedWithIt() {
    script.memory.hold(60);
    routed();
    App app = script.streaming().data("x".repeat(5_000), false);

    app.call.onReset(Http2Error.CANCEL);

    assertThat(script.unreleased()).isZero();
  }

  // Data that a stream did not send.

  @Test
  void whatIsLeftOfARequestThatCannotBeSentAgainIsLetGo() {
    script.ready();
    App app = script.streaming().data("x".repeat(COPY + 1), false);
    first.stream().stall();
    app.data("y".repeat(5_000), true);

    first.stream().handlerOf().onReset(Http2Error.REFUSED_STREAM);

    assertThat(app.field("grpc-status")).isEqualTo("14");
    assertThat(script.unreleased()).isZero();
  }

  /** A stream that reports data neither as sent nor as unsent. */
  @Test
  void aRequestOfWhichAPartIsNowhereIsNotSentAgainAndItsCopyIsLetGo() {
    var app = new FakeStream();
    var request =
        new RequestRelay(
            new DownstreamResponse(app, Runnable::run),
            script.forward.recorder(script.forward.app(), script.loop),
            new ReplayBuffer(new Budget(1 << 20)));
    var upstream = new FakeStream();
    upstream.stall();
    assertThat(request.open(upstream)).isZero();
    request.onData(script.buffer("x".repeat(COPY + 1)), false);
    assertThat(request.canReplay()).isTrue();

    upstream.takeUnsent().release();
    request.close(new PendingData());

    assertThat(request.canReplay()).isFalse();
  }

  // Trailers.

  @Conformance("SC-14")
  @Test
  void trailersThatComeBeforeTheBackendEndAGrpcRequest() {
    routed();
    App app = script.streaming();
    app.call.onHeaders(headers("x-late", "1"), true);

    script.picks(first.use);

    assertThat(first.stream().log).singleElement().asString().endsWith("!");
    succeeds(first);
    assertThat(app.stream.log).noneMatch(line -> line.startsWith("RST"));
  }

  @Test
  void trailersOfAPlainRequestAreKeptAndCounted() {
    routed();
    App app = script.plain(false);
    HeaderList trailers = headers("x-sum", "7");
    app.call.onHeaders(trailers, true);

    script.picks(first.use);
    assertThat(first.stream().log).endsWith("H(x-sum=7)!");
    first.stream().handlerOf().onHeaders(headers(":status", "204"), true);
    assertThat(app.stream.log).containsExactly("H(:status=204)!");
  }
}
