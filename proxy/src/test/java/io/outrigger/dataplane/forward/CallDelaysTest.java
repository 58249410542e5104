package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.route.RetryPolicy;
import io.outrigger.dataplane.calls.CallSpans;
import io.outrigger.dataplane.calls.Histogram;
import io.outrigger.dataplane.calls.Measuring;
import io.outrigger.dataplane.forward.CallScript.App;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.testing.Heads;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.program.testing.mesh.OneRoute;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the measured delays of calls and attempts, and their types (A121). */
class CallDelaysTest {
  private static final PickResult FIRST =
      new PickResult.Queue("0:connecting", "round_robin: waiting for any endpoint to connect");
  private static final PickResult SECOND =
      new PickResult.Queue("1:connecting", "priority: failing over to priority 1");

  private final List<String> spans = new ArrayList<>();
  private final CallScript script = new CallScript();

  CallDelaysTest() {
    script.tracer = request -> new Spans();
    measure(true, true);
  }

  @AfterEach
  void nothingIsLeftBehind() {
    assertThat(script.unreleased()).isZero();
  }

  private final class Spans implements CallSpans {
    @Override
    public void resolutionDelayed() {
      spans.add("resolution delayed");
    }

    @Override
    public void pickDelayed() {
      spans.add("pick delayed");
    }

    @Override
    public void delayBegins(boolean ofAttempt, String type, String reason) {
      spans.add((ofAttempt ? "attempt " : "call ") + type + ": " + reason);
    }

    @Override
    public void delayReason(String reason) {
      spans.add("reason " + reason);
    }

    @Override
    public void delayEnds() {
      spans.add("over");
    }
  }

  private void measure(boolean calls, boolean attempts) {
    script.forward =
        script.forward(
            DefaultSettings.forward(
                "node", new Measuring(Set.of(), false, calls, attempts, false)));
  }

  private void pass(int millis) {
    script.time.advance(Duration.ofMillis(millis));
  }

  private Map<String, Duration> callDelays() {
    return sums(script.forward.totals().methods().get("other").callDelays());
  }

  private Map<String, Duration> attemptDelays() {
    return sums(script.forward.totals().methods().get("other").attemptDelays());
  }

  private static Map<String, Duration> sums(Map<String, Histogram> delays) {
    Map<String, Duration> sums = new TreeMap<>();
    delays.forEach((type, measured) -> sums.put(type, Duration.ofNanos(measured.sum())));
    return sums;
  }

  @Conformance("A121-01")
  @Test
  void aCallThatNeverWaitsCountsNowhere() {
    script.ready();
    script.unary();
    pass(10);
    script.respond();
    script.succeed();

    assertThat(callDelays()).isEmpty();
    assertThat(attemptDelays()).isEmpty();
    assertThat(spans).isEmpty();
  }

  @Conformance({"A121-01", "A121-02"})
  @Test
  void aPickerThatIsReplacedMeanwhileIsNoWait() {
    script.ready();
    script.publishes(
        Connectivity.CONNECTING,
        call -> {
          script.picks(script.backend.use);
          return FIRST;
        });
    script.unary();
    script.respond();
    script.succeed();

    assertThat(attemptDelays()).isEmpty();
    assertThat(spans).isEmpty();
  }

  @Conformance({"A121-01", "A121-02"})
  @Test
  void aWaitForTheConfigurationIsOneOfTheCall() {
    script.picks(script.backend.use);
    script.unary();
    pass(40);
    script.routed(OneRoute.noLimit());
    script.time.run();
    script.respond();
    script.succeed();

    assertThat(callDelays()).containsExactly(Map.entry("resolving", Duration.ofMillis(40)));
    assertThat(attemptDelays()).isEmpty();
    assertThat(spans).hasSize(3);
    assertThat(spans.get(0)).startsWith("call resolving: ");
    assertThat(spans.subList(1, 3)).containsExactly("over", "resolution delayed");
  }

  @Conformance({"A121-01", "A121-02"})
  @Test
  void eachKindOfWaitOfAnAttemptIsMeasuredByItself() {
    script.ready().picks(FIRST);
    script.unary();
    pass(20);
    script.picks(FIRST);
    pass(10);
    script.picks(SECOND);
    pass(300);
    script.picks(script.backend.use);
    script.time.run();
    script.respond();
    script.succeed();

    assertThat(attemptDelays())
        .containsExactly(
            Map.entry("0:connecting", Duration.ofMillis(30)),
            Map.entry("1:connecting", Duration.ofMillis(300)));
    assertThat(callDelays()).isEmpty();
    assertThat(spans)
        .containsExactly(
            "attempt 0:connecting: round_robin: waiting for any endpoint to connect",
            "over",
            "attempt 1:connecting: priority: failing over to priority 1",
            "over",
            "pick delayed");
  }

  @Conformance({"A121-01", "A121-02"})
  @Test
  void aCallThatWaitsForReadinessWaitsForAFailingPickerToo() {
    script.ready().fails("down");
    script.unary("x-outrigger-wait-for-ready", "true");
    pass(50);
    script.fails("still down");
    pass(50);
    script.picks(script.backend.use);
    script.time.run();
    script.respond();
    script.succeed();

    assertThat(attemptDelays())
        .containsExactly(Map.entry("picker_failing_with_wait_for_ready", Duration.ofMillis(100)));
    assertThat(spans)
        .containsExactly(
            "attempt picker_failing_with_wait_for_ready: down",
            "reason still down",
            "over",
            "pick delayed");
  }

  @Conformance("A121-01")
  @Test
  void aConnectionThatIsGoneWhenItIsPickedIsAKindOfItsOwn() {
    script.ready();
    script.backend.hasTransport = false;
    script.unary();
    pass(70);
    script.picks(FIRST);
    pass(5);
    script.backend.hasTransport = true;
    script.picks(script.backend.use);
    script.time.run();
    script.respond();
    script.succeed();

    assertThat(attemptDelays())
        .containsExactly(
            Map.entry("0:connecting", Duration.ofMillis(5)),
            Map.entry("subchannel_state_mismatch", Duration.ofMillis(70)));
  }

  @Conformance("A121-01")
  @Test
  void aWaitThatEndsWithItsCallCountsUpToThere() {
    script.ready().picks(FIRST);
    App app = script.unary();
    pass(25);

    app.call.onReset(Http2Error.CANCEL);

    assertThat(attemptDelays()).containsExactly(Map.entry("0:connecting", Duration.ofMillis(25)));
  }

  @Conformance("A121-01")
  @Test
  void eachAttemptHasItsOwn() {
    script.ready();
    script.retried(
        new RetryPolicy(
            Set.of(RpcStatus.Code.UNAVAILABLE), 3, Duration.ofMillis(1), Duration.ofSeconds(1)));
    script.unary();
    script.picks(FIRST);
    script.backend.stream()
        .handlerOf()
        .onHeaders(Heads.headers(":status", "200", "grpc-status", "14"), true);
    pass(100);
    script.publishes(Connectivity.READY, call -> script.backend.use);
    script.time.run();
    script.respond();
    script.succeed();

    assertThat(attemptDelays()).containsOnlyKeys("0:connecting");
    assertThat(attemptDelays().get("0:connecting"))
        .isBetween(Duration.ofMillis(90), Duration.ofMillis(100));
  }

  @Conformance("A121-01")
  @Test
  void whatNobodyAsksForIsNotMeasured() {
    measure(false, false);
    script.unary();
    pass(40);
    script.ready().picks(FIRST);
    script.time.run();
    pass(40);
    script.picks(script.backend.use);
    script.time.run();
    script.respond();
    script.succeed();

    assertThat(callDelays()).isEmpty();
    assertThat(attemptDelays()).isEmpty();
  }

  /** The pick has a connection, but the connection admits no further stream at the moment. */
  @Conformance("A121-01")
  @Test
  void aWaitForAStreamIsNoWaitForAPick() {
    script.ready().picks(FIRST);
    script.unary();
    pass(20);
    script.backend.mode = FakeBackend.Mode.WAITS;
    script.picks(script.backend.use);
    pass(100);
    script.backend.openAll();
    script.respond();
    script.succeed();

    assertThat(attemptDelays()).containsExactly(Map.entry("0:connecting", Duration.ofMillis(20)));
  }
}
