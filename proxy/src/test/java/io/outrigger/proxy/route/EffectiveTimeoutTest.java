package io.outrigger.proxy.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.route.RouteTimeout;
import io.outrigger.config.route.RouteTimeout.StreamDuration;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EffectiveTimeoutTest {
  @Conformance({
    "A31-15", "A31-16", "A31-17", "A31-18", "A31-19", "A31-20", "A31-21", "A31-23", "A31-24",
    "A31-25", "A31-26", "A31-27", "A31-28", "A31-29", "A31-30"
  })
  @ParameterizedTest(
      name = "app {0}, header max {1}, stream max {2}, listener {3}, grpc {4}, timeout {5} -> {6}")
  @CsvSource({
    // app,  headerMax, streamMax, listener, maxGrpc, timeout, effective
    "20s,    10s,       -,         -,        -,       -,       10s", // A31-15
    "20s,    0s,        -,         -,        -,       -,       20s", // A31-16
    "-,      0s,        -,         -,        -,       -,       -", //   A31-16
    "-,      10s,       5s,        -,        -,       -,       10s", // A31-17
    "-,      0s,        5s,        -,        -,       -,       -", //   A31-17
    "-,      -,         5s,        -,        -,       -,       5s", //  A31-18
    "3s,     -,         5s,        -,        -,       -,       3s", //  A31-18
    "-,      -,         0s,        7s,       -,       -,       -", //   A31-19
    "-,      empty,     -,         7s,       -,       -,       7s", //  A31-20
    "-,      -,         -,         7s,       -,       -,       7s", //  A31-20
    "-,      -,         -,         0s,       -,       -,       -", //   A31-20
    "-,      empty,     -,         -,        -,       -,       -", //   A31-20
    "-,      -,         5s,        -,        -,       1s,      5s", //  A31-21
    "-,      empty,     -,         -,        1s,      1s,      -", //   A31-21
    "-,      -,         -,         -,        -,       -,       15s", // A31-23
    "-,      -,         -,         -,        -,       10s,     10s", // A31-24
    "-,      -,         -,         -,        0s,      3s,      -", //   A31-25
    "-,      -,         -,         -,        10s,     3s,      10s", // A31-26
    "10s,    -,         -,         -,        -,       -,       10s", // A31-27
    "20s,    -,         -,         -,        -,       -,       15s", // A31-27
    "20s,    -,         -,         -,        -,       10s,     10s", // A31-27
    "20s,    -,         -,         -,        0s,      3s,      20s", // A31-28
    "20s,    -,         -,         -,        10s,     3s,      10s", // A31-28
    "-,      -,         -,         -,        -,       0s,      -", //   A31-29
    "-,      -,         -,         7s,       -,       3s,      3s", //  older pair wins over
    // listener
    "1s,     0s,        -,         -,        -,       -,       1s", //  A31-30
    "1s,     -,         -,         -,        -,       9s,      1s", //  A31-30
  })
  void followsBothTables(
      String app,
      String headerMax,
      String streamMax,
      String listener,
      String maxGrpc,
      String timeout,
      String effective) {
    var route = new RouteTimeout(given(timeout), given(maxGrpc), message(headerMax, streamMax));

    var limit = EffectiveTimeout.of(route, given(listener), false);

    assertThat(limit.forRequest(nanos(given(app)))).isEqualTo(nanos(given(effective)));
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

    assertThat(EffectiveTimeout.of(route, Optional.empty(), false).forRequest(5)).isEqualTo(5);
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

  private static Optional<StreamDuration> message(String headerMax, String streamMax) {
    return headerMax.equals("-") && streamMax.equals("-")
        ? Optional.empty()
        : Optional.of(new StreamDuration(given(streamMax), given(headerMax)));
  }

  private static Optional<Duration> given(String text) {
    return text.equals("-") || text.equals("empty")
        ? Optional.empty()
        : Optional.of(Duration.parse("PT" + text));
  }

  private static long nanos(Optional<Duration> duration) {
    return duration.map(Duration::toNanos).orElse(EffectiveTimeout.NONE);
  }
}
