package io.outrigger.dataplane.forward;

import static io.outrigger.dataplane.forward.RetryState.NO_RETRY;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.AsciiString;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.route.RetryPolicy;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.ScriptedRandom;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryStateTest {
  private static final long MIDDLE = 1 << 19; // a draw without jitter
  private static final long MILLI = 1_000_000;

  private final ScriptedRandom random = new ScriptedRandom(5);

  private RetryState course(int attempts) {
    return new RetryState(
        new RetryPolicy(
            Set.of(Code.UNAVAILABLE), attempts, Duration.ofMillis(25), Duration.ofMillis(80)),
        random);
  }

  private static AsciiString pushback(String text) {
    return new AsciiString(text);
  }

  @Conformance("A44-03")
  @Test
  void waitsDoubleUpToTheLargest() {
    var course = course(5);
    random.next(Purpose.BACKOFF_JITTER, MIDDLE, MIDDLE, MIDDLE, MIDDLE);

    assertThat(course.afterFailure(Code.UNAVAILABLE, null)).isEqualTo(25 * MILLI);
    assertThat(course.afterFailure(Code.UNAVAILABLE, null)).isEqualTo(50 * MILLI);
    assertThat(course.afterFailure(Code.UNAVAILABLE, null)).isEqualTo(80 * MILLI);
    assertThat(course.afterFailure(Code.UNAVAILABLE, null)).isEqualTo(80 * MILLI);
    assertThat(course.afterFailure(Code.UNAVAILABLE, null)).isEqualTo(NO_RETRY);
  }

  @Conformance("A44-03")
  @Test
  void eachWaitIsSpreadByAFifth() {
    random.next(Purpose.BACKOFF_JITTER, 0, (1 << 20) - 1);
    assertThat(course(2).afterFailure(Code.UNAVAILABLE, null)).isEqualTo(20 * MILLI);
    assertThat(course(2).afterFailure(Code.UNAVAILABLE, null))
        .isBetween(30 * MILLI - 100, 30 * MILLI);

    for (int i = 0; i < 1000; i++) {
      assertThat(course(2).afterFailure(Code.UNAVAILABLE, null)).isBetween(20 * MILLI, 30 * MILLI);
    }
  }

  @Test
  void theLongestIntervalDoesNotOverflow() {
    var longest = Duration.ofDays(36_525);
    var course =
        new RetryState(
            new RetryPolicy(Set.of(Code.UNAVAILABLE), 5, longest.dividedBy(2), longest), random);

    for (int i = 0; i < 4; i++) {
      assertThat(course.afterFailure(Code.UNAVAILABLE, null))
          .isGreaterThan(longest.dividedBy(3).toNanos());
    }
  }

  @Conformance("A44-02")
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5})
  void attemptsAreCountedFromTheFirst(int attempts) {
    var course = course(attempts);
    int made = 1;
    while (course.afterFailure(Code.UNAVAILABLE, null) != NO_RETRY) {
      made++;
      assertThat(course.previousAttempts()).isEqualTo(made - 1);
    }

    assertThat(made).isEqualTo(attempts);
  }

  @Conformance("A44-01")
  @Test
  void otherCodesAreFinal() {
    var course = course(3);

    assertThat(course.afterFailure(Code.INTERNAL, null)).isEqualTo(NO_RETRY);
    assertThat(course.afterFailure(Code.INTERNAL, pushback("5"))).isEqualTo(NO_RETRY);
    assertThat(course.previousAttempts()).isZero();
  }

  @Conformance("A44-05")
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "0,           0",
    "1,           1",
    "1500,        1500",
    "1990,        1990",
    "2147483647,  2147483647",
    "2147483648,  -",
    "99999999999, -",
    "-1,          -",
    "+5,          -",
    "1.5,         -",
    "soon,        -",
    "'',          -",
    "' 5',        -",
  })
  void theBackendSaysHowLong(String text, String millis) {
    long delay = course(3).afterFailure(Code.UNAVAILABLE, pushback(text));

    assertThat(delay).isEqualTo(millis.equals("-") ? NO_RETRY : Long.parseLong(millis) * MILLI);
  }

  @Conformance("A44-05")
  @Test
  void afterThatTheWaitsBeginAnew() {
    var course = course(5);
    random.next(Purpose.BACKOFF_JITTER, MIDDLE, MIDDLE, MIDDLE);

    assertThat(course.afterFailure(Code.UNAVAILABLE, null)).isEqualTo(25 * MILLI);
    assertThat(course.afterFailure(Code.UNAVAILABLE, null)).isEqualTo(50 * MILLI);
    assertThat(course.afterFailure(Code.UNAVAILABLE, pushback("7"))).isEqualTo(7 * MILLI);
    assertThat(course.afterFailure(Code.UNAVAILABLE, null)).isEqualTo(25 * MILLI);
    assertThat(course.afterFailure(Code.UNAVAILABLE, pushback("7"))).isEqualTo(NO_RETRY);
  }
}
