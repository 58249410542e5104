package io.outrigger.dataplane.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GrpcTimeoutTest {
  @Conformance("SC-04")
  @ParameterizedTest
  @CsvSource({
    "1n, 1",
    "7u, 7000",
    "250m, 250000000",
    "3S, 3000000000",
    "2M, 120000000000",
    "1H, 3600000000000",
    "00000001n, 1",
    "0n, 0",
  })
  void readsEveryUnit(String text, long nanos) {
    assertThat(GrpcTimeout.parse(text)).isEqualTo(nanos);
  }

  @Conformance("SC-04")
  @Test
  void theLargestValueDoesNotOverflow() {
    assertThat(GrpcTimeout.parse("2562047H")).isEqualTo(Duration.ofHours(2_562_047).toNanos());
    assertThat(GrpcTimeout.parse("2562048H")).isEqualTo(EffectiveTimeout.NONE - 1);
    assertThat(GrpcTimeout.parse("99999999H")).isEqualTo(EffectiveTimeout.NONE - 1);
  }

  @Conformance("SC-05")
  @ParameterizedTest
  @ValueSource(
      strings = {"", "1", "S", "123456789S", "-1S", "+1S", " 1S", "1S ", "1s", "1 S", "1d"})
  void refusesAnythingElse(String text) {
    assertThat(GrpcTimeout.parse(text)).isEqualTo(GrpcTimeout.MALFORMED);
  }

  @Conformance("A31-37")
  @ParameterizedTest
  @CsvSource({
    "1, 1n",
    "99999999, 99999999n",
    "100000000, 100000u",
    "100000001, 100001u",
    "15000000000, 15000000u",
    "99999999000000000, 99999999S",
    "9223372036854775806, 2562048H",
  })
  void writesTheFinestUnitThatFitsRoundedUp(long nanos, String text) {
    assertThat(GrpcTimeout.format(nanos).toString()).isEqualTo(text);
  }

  @Conformance("A31-37")
  @Property(seed = "20260101")
  void whatIsWrittenReadsBackNoShorter(@ForAll @LongRange(min = 1) long nanos) {
    String text = GrpcTimeout.format(nanos).toString();

    assertThat(text.length()).isLessThanOrEqualTo(9);
    assertThat(GrpcTimeout.parse(text))
        .isGreaterThanOrEqualTo(Math.min(nanos, EffectiveTimeout.NONE - 1));
  }
}
