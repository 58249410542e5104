package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.route.FilterConfig.Abort;
import io.outrigger.config.route.FilterConfig.Delay;
import io.outrigger.config.route.FilterConfig.Fault;
import io.outrigger.config.route.Fraction;
import io.outrigger.http2.StreamHandler;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.program.testing.mesh.OneRoute;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests faults that are injected between routing and the pick. */
class FaultInjectionTest {
  private static final Fraction ALWAYS = new Fraction(100, 100);

  private final CallScript script = new CallScript().ready();
  private final FakeBackend backend = script.backend;

  private void inject(Optional<Duration> delay, Optional<Abort> abort) {
    script.faulty(
        OneRoute.noLimit(),
        new Fault(delay.map(d -> new Delay(Optional.of(d), ALWAYS)), abort, Optional.empty()));
  }

  private void delay(Duration delay) {
    inject(Optional.of(delay), Optional.empty());
  }

  private static Optional<Abort> grpcStatus(int code) {
    return Optional.of(new Abort(Optional.of(code), Optional.empty(), ALWAYS));
  }

  private static Optional<Abort> httpStatus(int status) {
    return Optional.of(new Abort(Optional.empty(), Optional.of(status), ALWAYS));
  }

  /** The codes include those that a library must not generate (SC-23). */
  @Conformance({"A33-01", "SC-23"})
  @ParameterizedTest
  @ValueSource(ints = {0, 3, 5, 6, 9, 10, 11, 14, 15})
  void anAbortIsOneBlockWithItsCode(int code) {
    inject(Optional.empty(), grpcStatus(code));

    var app = script.unary();

    assertThat(app.stream.log).hasSize(1);
    assertThat(app.field("grpc-status")).isEqualTo(Integer.toString(code));
    assertThat(app.field("x-outrigger-local")).isEqualTo("fault");
    assertThat(backend.streams).isEmpty();
    assertThat(script.cluster.callsInUse()).isZero();
    assertThat(script.ended).hasSize(1);
  }

  @Conformance("A33-01")
  @Test
  void aPlainRequestGetsTheHttpStatusItself() {
    inject(Optional.empty(), httpStatus(429));

    var app = script.plain(true);

    assertThat(app.stream.blocks.get(0).toString()).contains(":status=429");
    assertThat(script.ended).containsExactly("UNAVAILABLE/429/fault");
  }

  @Test
  void aPlainRequestIsUnavailableWhereOnlyAGrpcCodeIsConfigured() {
    inject(Optional.empty(), grpcStatus(5));

    assertThat(script.plain(true).stream.blocks.get(0).toString()).contains(":status=503");
  }

  @Conformance("A33-02")
  @Test
  void aDelayedRequestReachesNoBackendBeforeItsTime() {
    delay(Duration.ofMillis(500));

    var app = script.streaming().data("hello", true);
    script.time.advance(Duration.ofMillis(499));
    assertThat(backend.streams).isEmpty();
    assertThat(script.faults.get()).isEqualTo(1);

    script.time.advance(Duration.ofMillis(10));
    assertThat(backend.stream().log).hasSize(2).last().isEqualTo("D(hello)!");
    script.succeed();
    assertThat(app.field("grpc-status")).isEqualTo("0");
    assertThat(script.faults.get()).isZero();
    assertThat(script.unreleased()).isZero();
  }

  @Conformance("A33-02")
  @Test
  void theDeadlineRunsWhileARequestIsDelayed() {
    delay(Duration.ofMillis(500));

    script.unary("grpc-timeout", "2S");
    script.time.advance(Duration.ofMillis(510));

    String head = backend.stream().log.get(0);
    long micros = Long.parseLong(head.replaceAll(".*grpc-timeout=(\\d+)u.*", "$1"));
    assertThat(micros).isBetween(1_490_000L, 1_500_000L);
  }

  @Conformance({"SC-10", "A33-02"})
  @Test
  void aDeadlineWithinTheDelayIsKeptAndNothingIsSentLater() {
    delay(Duration.ofSeconds(5));

    var app = script.unary("grpc-timeout", "100m");
    script.time.advance(Duration.ofMillis(99));
    assertThat(app.stream.log).isEmpty();
    script.time.advance(Duration.ofMillis(10));

    assertThat(app.stream.log).hasSize(1);
    assertThat(app.field("grpc-status")).isEqualTo("4");
    assertThat(app.field("x-outrigger-local")).isEqualTo("deadline");
    assertThat(app.field("grpc-message")).contains("delay that the fault filter injected");
    assertThat(script.faults.get()).isZero();

    script.time.advance(Duration.ofSeconds(10));
    assertThat(app.stream.log).hasSize(1);
    assertThat(backend.streams).isEmpty();
    assertThat(script.cluster.callsInUse()).isZero();
  }

  @Conformance("A33-03")
  @Test
  void aDelayComesBeforeTheAbort() {
    inject(Optional.of(Duration.ofMillis(50)), httpStatus(503));

    var app = script.unary();
    assertThat(app.stream.log).isEmpty();
    script.time.advance(Duration.ofMillis(60));

    assertThat(app.field("grpc-status")).isEqualTo("14");
    assertThat(backend.streams).isEmpty();
  }

  @Conformance({"A33-06", "SC-12"})
  @Test
  void anAppThatLeavesEndsItsDelay() {
    delay(Duration.ofSeconds(5));
    var app = script.streaming().data("hello", false);

    app.call.onConnectionLost(StreamHandler.Refusal.NONE, "gone");

    assertThat(script.loop.deadlines.armed()).isZero();
    assertThat(script.faults.get()).isZero();
    assertThat(script.cluster.callsInUse()).isZero();
    script.time.advance(Duration.ofSeconds(10));
    assertThat(backend.streams).isEmpty();
    assertThat(script.unreleased()).isZero();
  }

  /** The limits for waiting requests also apply to delayed requests (SC-22). */
  @Test
  void delayedRequestsTakeSeats() {
    script.forward =
        script.forward(DefaultSettings.forward(new AuthorityMode.OfTarget(), 1, 1_000));
    delay(Duration.ofSeconds(5));

    script.unary();
    var second = script.unary();

    assertThat(second.field("x-outrigger-local")).isEqualTo("overload");
    assertThat(script.faults.get()).isEqualTo(1);
  }

  @Conformance("A39-05")
  @Test
  void anotherChainIsForNewRequestsOnly() {
    delay(Duration.ofMillis(500));
    var before = script.unary();
    script.routed(OneRoute.noLimit());
    var after = script.unary();

    assertThat(backend.streams).hasSize(1);
    script.succeed();
    assertThat(after.field("grpc-status")).isEqualTo("0");
    assertThat(before.stream.log).isEmpty();
    script.time.advance(Duration.ofMillis(510));
    assertThat(backend.streams).hasSize(2);
  }

  @Conformance("A33-01")
  @Test
  void aFractionOfTheRequestsIsHit() {
    var half = new Fraction(50, 100);
    var abort = new Abort(Optional.of(5), Optional.empty(), half);
    script.faulty(
        OneRoute.noLimit(), new Fault(Optional.empty(), Optional.of(abort), Optional.empty()));
    script.random.next(Purpose.FAULT_ABORT, 49, 50);

    assertThat(script.unary().field("grpc-status")).isEqualTo("5");
    assertThat(script.unary().stream.log).isEmpty();
    assertThat(backend.streams).hasSize(1);
  }

  @Conformance("SC-22")
  @Test
  void aDelayForWhichThereIsNoRoomLeavesNothingBehind() {
    script.forward =
        script.forward(DefaultSettings.forward(new AuthorityMode.OfTarget(), 0, 1 << 20));
    delay(Duration.ofMillis(500));

    var app = script.unary();

    assertThat(app.field("x-outrigger-local")).isEqualTo("overload");
    assertThat(script.loop.deadlines.armed()).isZero();
    assertThat(script.cluster.callsInUse()).isZero();
  }
}
