package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProtoDurationsTest {
  @ParameterizedTest(name = "{0} s {1} ns -> {2}")
  @CsvSource({
    "0,             0,          PT0S",
    "1,             500000000,  PT1.5S",
    "0,             999999999,  PT0.999999999S",
    "3155760000,    0,          PT876600H",
    "3155760000,    1,          PT876600H",
    "315576000000,  999999999,  PT876600H",
  })
  void legalDurationIsTakenAndCutToWhatCanBeCountedWith(long seconds, int nanos, String expected) {
    var errors = FieldErrors.ofResource();

    var duration = ProtoDurations.decode(proto(seconds, nanos), errors.at("timeout"));

    assertThat(duration).contains(Duration.parse(expected));
    assertThat(duration.orElseThrow().toNanos()).isLessThan(Long.MAX_VALUE / 2);
    assertThat(errors.isEmpty()).isTrue();
  }

  @ParameterizedTest(name = "{0} s {1} ns -> {2}")
  @CsvSource({
    "-1,                    0,           is negative",
    "0,                     -1,          is negative",
    "-315576000000,         0,           is negative",
    "315576000001,          0,           is not a legal duration",
    "-315576000001,         0,           is not a legal duration",
    "9223372036854775807,   0,           is not a legal duration",
    "-9223372036854775808,  0,           is not a legal duration",
    "0,                     1000000000,  is not a legal duration",
    "0,                     -2147483648, is not a legal duration",
    "1,                     -1,          is not a legal duration",
    "-1,                    1,           is not a legal duration",
  })
  void illegalDurationIsRefused(long seconds, int nanos, String reason) {
    var errors = FieldErrors.ofResource();

    assertThat(ProtoDurations.decode(proto(seconds, nanos), errors.at("timeout"))).isEmpty();

    assertThat(errors.all()).singleElement().asString().startsWith("timeout: " + reason);
  }

  private static com.google.protobuf.Duration proto(long seconds, int nanos) {
    return com.google.protobuf.Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
  }
}
