package io.outrigger.dataplane.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.route.RouteTimeout;
import io.outrigger.config.route.RouteTimeout.StreamDuration;
import io.outrigger.program.testing.LimitRow;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class EffectiveTimeoutTest {
  @Conformance({
    "A31-15", "A31-16", "A31-17", "A31-18", "A31-19", "A31-20", "A31-21", "A31-23", "A31-24",
    "A31-25", "A31-26", "A31-27", "A31-28", "A31-29", "A31-30"
  })
  @ParameterizedTest
  @MethodSource("io.outrigger.program.testing.LimitRow#all")
  void followsBothTables(LimitRow row) {
    var duration =
        row.hasStreamDuration()
            ? Optional.of(new StreamDuration(given(row.streamMax()), given(row.headerMax())))
            : Optional.<StreamDuration>empty();
    var route = new RouteTimeout(given(row.timeout()), given(row.maxGrpc()), duration);

    var limit = EffectiveTimeout.of(route, given(row.listener()), false);

    assertThat(limit.forRequest(nanos(given(row.app())))).isEqualTo(nanos(given(row.effective())));
  }

  @Conformance("A31-21")
  @Test
  void theOlderPairIsIgnoredOnRequest() {
    var route =
        new RouteTimeout(
            Optional.of(Duration.ofSeconds(1)),
            Optional.of(Duration.ofSeconds(2)),
            Optional.empty());

    var limit = EffectiveTimeout.of(route, Optional.empty(), true);

    assertThat(limit.limitNanos()).isEqualTo(EffectiveTimeout.NONE);
    assertThat(EffectiveTimeout.of(RouteTimeout.UNSET, Optional.empty(), true).limitNanos())
        .isEqualTo(EffectiveTimeout.NONE);
  }

  @Conformance("A31-32")
  @Test
  void hugeLimitsAreNoLimitInsteadOfAnOverflow() {
    var huge = Optional.of(Duration.ofSeconds(315_576_000_000L));
    var route = new RouteTimeout(huge, Optional.empty(), Optional.empty());

    var limit = EffectiveTimeout.of(route, Optional.empty(), false);

    assertThat(limit.limitNanos()).isEqualTo(EffectiveTimeout.NONE);
    assertThat(limit.forRequest(5)).isEqualTo(5);
  }

  @Conformance("A31-32")
  @Test
  void theFirstSecondThatDoesNotFitWhollyIsNoLimit() {
    assertThat(limit(Duration.ofSeconds(9_223_372_035L, 999_999_999)))
        .isEqualTo(9_223_372_035_999_999_999L);
    assertThat(limit(Duration.ofSeconds(9_223_372_036L, 999_999_999)))
        .isEqualTo(EffectiveTimeout.NONE);
  }

  private static long limit(Duration timeout) {
    var route = new RouteTimeout(Optional.of(timeout), Optional.empty(), Optional.empty());
    return EffectiveTimeout.of(route, Optional.empty(), false).limitNanos();
  }

  @Test
  void theFieldThatDecidedIsNamed() {
    var route =
        new RouteTimeout(Optional.empty(), Optional.of(Duration.ofSeconds(1)), Optional.empty());

    assertThat(EffectiveTimeout.of(route, Optional.empty(), false).source())
        .isEqualTo(EffectiveTimeout.Source.MAX_GRPC_TIMEOUT);
  }

  @Conformance("A31-30")
  @Property(seed = "20260101")
  void noLimitLengthensTheAppsDeadline(
      @ForAll @LongRange(min = 0, max = Long.MAX_VALUE) long appNanos,
      @ForAll @LongRange(min = 0, max = 1_000_000) long limitMillis) {
    var route =
        new RouteTimeout(
            Optional.of(Duration.ofMillis(limitMillis)), Optional.empty(), Optional.empty());

    assertThat(EffectiveTimeout.of(route, Optional.empty(), false).forRequest(appNanos))
        .isLessThanOrEqualTo(appNanos);
  }

  private static Optional<Duration> given(String text) {
    return LimitRow.isSet(text) ? Optional.of(Duration.parse("PT" + text)) : Optional.empty();
  }

  private static long nanos(Optional<Duration> duration) {
    return duration.map(Duration::toNanos).orElse(EffectiveTimeout.NONE);
  }
}
