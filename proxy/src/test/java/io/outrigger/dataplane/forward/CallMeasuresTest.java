package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.route.RetryPolicy;
import io.outrigger.dataplane.calls.CallCounter;
import io.outrigger.dataplane.calls.Histogram;
import io.outrigger.dataplane.calls.Measuring;
import io.outrigger.dataplane.calls.MethodStats;
import io.outrigger.dataplane.calls.MethodStats.Place;
import io.outrigger.dataplane.forward.CallScript.App;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.testing.Heads;
import io.outrigger.lb.testing.Samples;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the measurements of calls and attempts that A66 and A96 specify. */
class CallMeasuresTest {
  private static final RetryPolicy POLICY =
      new RetryPolicy(Set.of(Code.UNAVAILABLE), 3, Duration.ofMillis(100), Duration.ofSeconds(1));

  private static final Place LEAF = place("leaf", null);

  private final CallScript script = new CallScript().ready();

  @AfterEach
  void nothingIsLeftBehind() {
    assertThat(script.unreleased()).isZero();
  }

  private static Place place(String cluster, @Nullable Locality locality) {
    return new Place(cluster, locality);
  }

  private MethodStats measured() {
    return measured("other");
  }

  private MethodStats measured(String method) {
    return script.forward.totals().methods().get(method);
  }

  private MethodStats.Attempts attempts(Code code) {
    return measured().ended().get(LEAF).get(code);
  }

  private static long count(Histogram measured) {
    long count = 0;
    for (int i = 0; i < measured.buckets(); i++) {
      count += measured.count(i);
    }
    return count;
  }

  private static Duration sum(Histogram nanos) {
    return Duration.ofNanos(nanos.sum());
  }

  /** A message of the given size, with its prefix. */
  private ByteBuf message(int bytes) {
    ByteBuf data = script.buffer("x".repeat(5 + bytes));
    data.setByte(0, 0).setInt(1, bytes);
    return data;
  }

  @Conformance({"A66-01", "A89-01"})
  @Test
  void aCallAndItsOnlyAttempt() {
    App app = script.streaming();
    assertThat(measured().attempts()).isEqualTo(1);
    app.call.onData(message(700), false);
    app.call.onData(message(800), true);
    script.time.advance(Duration.ofMillis(30));
    script.respond();
    script.backend.stream().handlerOf().onData(message(0), false);
    script.succeed();

    assertThat(measured().calls()).containsOnlyKeys(Code.OK);
    assertThat(sum(measured().calls().get(Code.OK))).isEqualTo(Duration.ofMillis(30));
    assertThat(measured().ended()).containsOnlyKeys(LEAF);
    assertThat(sum(attempts(Code.OK).durations())).isEqualTo(Duration.ofMillis(30));
    assertThat(attempts(Code.OK).sent().sum()).as("without prefixes").isEqualTo(1500);
    assertThat(attempts(Code.OK).sent().count(2)).as("above 1024, up to 2048").isEqualTo(1);
    assertThat(attempts(Code.OK).received().sum()).isZero();
    assertThat(attempts(Code.OK).received().count(0)).as("nothing, up to 0").isEqualTo(1);
    assertThat(count(measured().retries())).isZero();
    assertThat(count(measured().retryDelays())).isZero();
  }

  @Conformance("A66-01")
  @Test
  void anAttemptBeginsBeforeItsPickAndEndsWithoutABackendToo() {
    script.picks(Samples.QUEUE);
    App app = script.unary();
    script.time.advance(Duration.ofSeconds(2));
    assertThat(measured().attempts()).isEqualTo(1);

    app.call.onReset(Http2Error.CANCEL);

    assertThat(measured().calls()).containsOnlyKeys(Code.CANCELLED);
    Histogram durations =
        measured().ended().get(place("pay", null)).get(Code.CANCELLED).durations();
    assertThat(sum(durations)).isEqualTo(Duration.ofSeconds(2));
  }

  @Conformance("A66-01")
  @Test
  void aCallThatIsRefusedBeforeItsPickHasNoAttempt() {
    script.unary("grpc-timeout", "0n");

    assertThat(measured().calls()).containsOnlyKeys(Code.DEADLINE_EXCEEDED);
    assertThat(measured().attempts()).isZero();
    assertThat(measured().ended()).isEmpty();
  }

  @Conformance("A66-01")
  @Test
  void eachAttemptIsMeasuredByItselfAndRetriesAreCounted() {
    script.retried(POLICY);
    App app = script.streaming();
    app.call.onData(message(100), true);
    script.time.advance(Duration.ofMillis(10));
    script.backend.stream()
        .handlerOf()
        .onHeaders(Heads.headers(":status", "200", "grpc-status", "14"), true);
    script.time.advance(Duration.ofMillis(1300));
    script.respond();
    script.succeed();

    assertThat(measured().attempts()).isEqualTo(2);
    assertThat(sum(attempts(Code.UNAVAILABLE).durations())).isEqualTo(Duration.ofMillis(10));
    assertThat(attempts(Code.UNAVAILABLE).sent().sum()).isEqualTo(100);
    assertThat(attempts(Code.OK).sent().sum()).as("sent again").isEqualTo(100);
    assertThat(measured().retries().count(0)).as("one retry").isEqualTo(1);
    assertThat(count(measured().transparentRetries())).isZero();
    Duration delay = sum(measured().retryDelays());
    assertThat(delay).isPositive();
    assertThat(sum(attempts(Code.OK).durations()).plus(delay)).isEqualTo(Duration.ofMillis(1300));
    assertThat(sum(measured().calls().get(Code.OK))).isEqualTo(Duration.ofMillis(1310));
  }

  @Conformance("A66-01")
  @Test
  void aRefusedAttemptIsATransparentRetry() {
    script.unary();
    script.backend.stream().handlerOf().onReset(Http2Error.REFUSED_STREAM);
    script.time.run();
    script.respond();
    script.succeed();

    assertThat(measured().attempts()).isEqualTo(2);
    assertThat(measured().transparentRetries().count(0)).isEqualTo(1);
    assertThat(count(measured().retries())).isZero();
    assertThat(count(attempts(Code.UNAVAILABLE).durations())).isEqualTo(1);
  }

  @Conformance("A66-01")
  @Test
  void methodsAreToldApartOnlyWhereThatIsAllowed() {
    script.forward =
        script.forward(
            DefaultSettings.forward(
                "node", new Measuring(Set.of("pkg.Svc/Call"), false, true, true, false)));
    script.unary();
    script.respond();
    script.succeed();
    script.forward.totals();

    assertThat(measured("pkg.Svc/Call").attempts()).isEqualTo(1);
    assertThat(measured("pkg.Svc/Call").calls()).containsOnlyKeys(Code.OK);
    assertThat(measured().attempts()).isZero();
    assertThat(script.forward.totals().methods()).containsOnlyKeys("other", "pkg.Svc/Call");
  }

  @Conformance({"A66-01", "A89-01"})
  @Test
  void localitiesAreToldApartOnlyWhereThatIsAskedFor() {
    script.forward =
        script.forward(
            DefaultSettings.forward("node", new Measuring(Set.of(), true, false, false, false)));

    script.unary();
    script.respond();
    script.succeed();
    script.picks(Samples.QUEUE);
    script.streaming().call.onReset(Http2Error.CANCEL);

    assertThat(measured().ended())
        .containsOnlyKeys(
            place("leaf", new Locality("r", "z", "s")),
            place("pay", null)); // no pick, hence no locality
  }

  /** A66's {@code grpc.server.call} has one value for each call, whatever its attempts were. */
  @Conformance("OPS-07")
  @Test
  void aServerMeasuresCallsAndNoAttempts() {
    script.forward =
        script.forward(DefaultSettings.forward("node", Measuring.ofServer(Set.of("pkg.Svc/Call"))));
    script.unary();
    assertThat(measured("pkg.Svc/Call").attempts()).isEqualTo(1);
    script.backend.stream().handlerOf().onReset(Http2Error.REFUSED_STREAM);
    script.time.run();
    script.respond();
    script.succeed();
    script.picks(Samples.QUEUE); // the second call has no attempt that reaches a backend
    script.streaming().call.onReset(Http2Error.CANCEL);

    MethodStats served = measured("pkg.Svc/Call");
    assertThat(served.attempts()).isEqualTo(2);
    assertThat(served.ended()).containsOnlyKeys(place("", null));
    Map<Code, MethodStats.Attempts> calls = served.ended().get(place("", null));
    assertThat(calls).containsOnlyKeys(Code.OK, Code.CANCELLED);
    assertThat(count(calls.get(Code.OK).sent())).isEqualTo(1);
  }

  @Test
  void aRequestThatIsNotGrpcIsNoCall() {
    script.plain(true);
    script.backend.stream().handlerOf().onHeaders(Heads.headers(":status", "200"), true);

    assertThat(measured().calls()).isEmpty();
    assertThat(measured().attempts()).isZero();
    assertThat(script.forward.totals().count(CallCounter.ENDED)).isEqualTo(1);
    assertThat(count(script.forward.totals().durations())).isEqualTo(1);
  }
}
