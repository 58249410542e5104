package io.outrigger.dataplane.filter;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.route.FilterConfig.Abort;
import io.outrigger.config.route.FilterConfig.Delay;
import io.outrigger.config.route.FilterConfig.Fault;
import io.outrigger.config.route.Fraction;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.ScriptedRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FaultFilterTest {
  private static final Fraction ALWAYS = new Fraction(100, 100);
  private static final long SECOND = 1_000_000_000;

  private final ScriptedRandom random = new ScriptedRandom(11);

  @Conformance("A33-01")
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
  void anyGrpcCodeMayBeInjected(int code) {
    assertThat(code(abort(new Abort(Optional.of(code), Optional.empty(), ALWAYS)))).isEqualTo(code);
  }

  @Conformance("A33-01")
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "200, 2", "400, 13", "401, 16", "403, 7", "404, 12", "429, 14", "500, 2", "502, 14", "503, 14",
    "504, 14", "599, 2",
  })
  void anHttpStatusIsMapped(int status, int code) {
    var answer = abort(new Abort(Optional.empty(), Optional.of(status), ALWAYS));

    assertThat(code(answer)).isEqualTo(code);
    assertThat(answer).isNotNull();
    assertThat(answer.httpStatus()).isEqualTo(status);
    assertThat(answer.status().message()).contains(Integer.toString(status));
  }

  /** The draw is below the numerator, or it is not. */
  @Conformance("A33-04")
  @ParameterizedTest(name = "{0}/{1}, draw {2} -> {3}")
  @CsvSource({
    "20,      100,     19,     true",
    "20,      100,     20,     false",
    "5,       10000,   4,      true",
    "5,       10000,   5,      false",
    "999999,  1000000, 999998, true",
    "999999,  1000000, 999999, false",
  })
  void shares(long numerator, int denominator, long draw, boolean hit) {
    var share = new Fraction(numerator, denominator);
    random.next(Purpose.FAULT_ABORT, draw).next(Purpose.FAULT_DELAY, draw);

    assertThat(abort(new Abort(Optional.of(3), Optional.empty(), share)) != null).isEqualTo(hit);
    assertThat(delay(new Delay(Optional.of(Duration.ofSeconds(1)), share)))
        .isEqualTo(hit ? SECOND : FaultFilter.NO_DELAY);
  }

  @Conformance("A33-04")
  @Test
  void moreThanAllIsAll() {
    var share = new Fraction(4_294_967_295L, 100);

    for (int i = 0; i < 200; i++) {
      assertThat(abort(new Abort(Optional.of(3), Optional.empty(), share))).isNotNull();
    }
  }

  /** The configured shares are 50 of 100. */
  @Conformance("A33-05")
  @ParameterizedTest(name = "delay {0}, percentage {1}, draw {2} -> {3}")
  @CsvSource({
    "53,          -,          49, 53",
    "53,          -,          50, -",
    "0,           -,          0,  0",
    "53,          20,         19, 53",
    "53,          20,         20, -",
    "53,          0,          0,  -",
    "53,          80,         49, 53",
    "53,          80,         50, -",
    "53,          none,       49, 53",
    "53,          -1,         49, 53",
    "53,          2.5,        49, 53",
    "-,           20,         0,  -",
    "soon,        -,          0,  -",
    "-5,          -,          0,  -",
    "'',          -,          0,  -",
    "99999999999, -,          0,  -",
    "'7,53',      -,          0,  53",
  })
  void aDelayByHeader(String millis, String percentage, long draw, String expected) {
    random.next(Purpose.FAULT_DELAY, draw);
    var request = headers(FaultFilter.DELAY, millis, FaultFilter.DELAY_PERCENTAGE, percentage);

    long nanos = delay(new Delay(Optional.empty(), new Fraction(50, 100)), request);

    assertThat(nanos)
        .isEqualTo(
            expected.equals("-") ? FaultFilter.NO_DELAY : Long.parseLong(expected) * 1_000_000);
  }

  /** The configured shares are 50 of 100. */
  @Conformance("A33-05")
  @ParameterizedTest(name = "grpc {0}, http {1}, percentage {2}, draw {3} -> {4}")
  @CsvSource({
    "3,   -,   -,   49, 3",
    "3,   -,   -,   50, -",
    "-,   503, -,   49, 14",
    "3,   404, -,   49, 12",
    "0,   -,   -,   0,  0",
    "17,  -,   -,   0,  -",
    "bad, -,   -,   0,  -",
    "3,   99,  -,   0,  3",
    "-,   600, -,   0,  -",
    "-,   bad, -,   0,  -",
    "3,   -,   10,  9,  3",
    "3,   -,   10,  10, -",
    "3,   -,   99,  50, -",
    "3,   -,   bad, 49, 3",
    "-,   -,   10,  0,  -",
  })
  void anAbortByHeader(String grpc, String http, String percentage, long draw, String expected) {
    random.next(Purpose.FAULT_ABORT, draw);
    var request =
        headers(
            FaultFilter.ABORT_GRPC, grpc,
            FaultFilter.ABORT_HTTP, http,
            FaultFilter.ABORT_PERCENTAGE, percentage);

    var answer =
        abort(new Abort(Optional.empty(), Optional.empty(), new Fraction(50, 100)), request);

    assertThat(answer == null ? "-" : Integer.toString(code(answer))).isEqualTo(expected);
  }

  @Conformance("A33-05")
  @Test
  void headersMeanNothingToAFixedFault() {
    var request =
        headers(
            FaultFilter.DELAY, "53",
            FaultFilter.DELAY_PERCENTAGE, "0",
            FaultFilter.ABORT_GRPC, "3",
            FaultFilter.ABORT_PERCENTAGE, "0");

    assertThat(delay(new Delay(Optional.of(Duration.ofSeconds(1)), ALWAYS), request))
        .isEqualTo(SECOND);
    assertThat(code(abort(new Abort(Optional.of(5), Optional.empty(), ALWAYS), request)))
        .isEqualTo(5);
  }

  private static Headers headers(String... fields) {
    String[] present =
        IntStream.range(0, fields.length / 2)
            .filter(i -> !fields[2 * i + 1].equals("-"))
            .boxed()
            .flatMap(i -> Stream.of(fields[2 * i], fields[2 * i + 1]))
            .toArray(String[]::new);
    return new Headers(present);
  }

  private long delay(Delay delay) {
    return delay(delay, new Headers());
  }

  private long delay(Delay delay, Headers request) {
    return FaultFilter.delayNanos(
        new Fault(Optional.of(delay), Optional.empty(), Optional.empty()), request, random);
  }

  private FilterStep.@Nullable Answer abort(Abort abort) {
    return abort(abort, new Headers());
  }

  private FilterStep.@Nullable Answer abort(Abort abort, Headers request) {
    return FaultFilter.abort(
        new Fault(Optional.empty(), Optional.of(abort), Optional.empty()), request, random);
  }

  private static int code(FilterStep.@Nullable Answer answer) {
    return requireNonNull(answer).status().code().number();
  }
}
