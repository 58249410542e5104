package io.outrigger.program.options;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Numbers, durations and sizes that make no sense, for each flag of which the help text says that
 * it takes one: a flag that comes later is here from its first day.
 */
final class NonsenseLimitsTest extends OptionsFixture {
  private static final Map<String, List<String>> NONSENSE =
      Map.of(
          "N",
          List.of(
              "",
              " ",
              "-1",
              "-0",
              "+5",
              "1.5",
              "1e3",
              "0x10",
              "1_000",
              "many",
              "\u0661",
              "2147483648",
              "9223372036854775808",
              "99999999999999999999"),
          "DURATION",
          List.of(
              "",
              "0",
              "5",
              "-1s",
              "-0s",
              "1,5s",
              "1s2s",
              "1w",
              "5 s",
              "s",
              "NaN",
              "soon",
              "\u0661s",
              "36501d",
              "999999999999999d",
              "99999999999999999999999s"),
          "BYTES",
          List.of(
              "",
              "0",
              "0KiB",
              "-1",
              "-1GiB",
              "1.5MiB",
              "64XiB",
              "1TB",
              "8EiB",
              "lots",
              "\u0661",
              "9223372036854775808",
              "99999999999GiB",
              "99999999999999999999"));

  /** Nothing waits, nothing is ever closed, or nothing is waited for. */
  private static final Set<Flag> ZERO_HAS_A_MEANING =
      EnumSet.of(
          Flag.BOOTSTRAP_TIMEOUT,
          Flag.MAX_QUEUED_REQUESTS,
          Flag.IDLE_TIMEOUT,
          Flag.KEEPALIVE_TIME,
          Flag.DNS_REFRESH,
          Flag.DRAIN_DELAY,
          Flag.DRAIN_TIMEOUT,
          Flag.SERVE_DRAIN_SPREAD,
          Flag.STATE_AFTER,
          Flag.SERVE_DRAIN_GRACE);

  NonsenseLimitsTest(@TempDir Path folder) throws IOException {
    super(folder);
  }

  private static Stream<Flag> limits() {
    return Arrays.stream(Flag.values()).filter(flag -> NONSENSE.containsKey(flag.label()));
  }

  static Stream<Arguments> theValueAndTheFlagAreNamed() {
    return limits()
        .flatMap(
            flag ->
                NONSENSE.getOrDefault(flag.label(), List.of()).stream()
                    .map(value -> Arguments.of(flag, value)));
  }

  @ParameterizedTest(name = "{0}={1}")
  @MethodSource
  void theValueAndTheFlagAreNamed(Flag flag, String value) {
    give(flag, value);

    assertThat(errors())
        .singleElement()
        .asString()
        .startsWith(flag.option() + ": \"" + value + "\" is ");
  }

  static Stream<Flag> zeroIsRefusedWhereItHasNoMeaning() {
    return limits();
  }

  @ParameterizedTest
  @MethodSource
  void zeroIsRefusedWhereItHasNoMeaning(Flag flag) throws InvalidInput {
    String zero = flag.label().equals("DURATION") ? "0s" : "0";
    give(flag, zero);

    if (ZERO_HAS_A_MEANING.contains(flag)) {
      assertThat(read()).isNotNull();
    } else {
      assertThat(errors())
          .singleElement()
          .asString()
          .startsWith(flag.option() + ": \"" + zero + "\" ");
    }
  }

  @Test
  void allWrongLimitsAreToldAtOnce() {
    limits().forEach(flag -> give(flag, "-1"));

    assertThat(errors()).hasSize((int) limits().count()).hasSizeGreaterThanOrEqualTo(13);
  }
}
