package io.outrigger.xds.overlay;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GlobTest {
  @ParameterizedTest
  @Conformance("OV-01")
  @CsvSource(
      delimiter = ';',
      value = {
        "outbound|7070||*; outbound|7070||orders.default; true",
        "outbound|7070||*; outbound|7071||orders.default; false",
        "*; anything; true",
        "**; x; true",
        "a*b*c; axxbxxc; true",
        "a*b*c; axxbxx; false",
        "a*b; ab; true",
        "*aab; aaaab; true",
        "?; x; true",
        "?; xy; false",
        "a?c; abc; true",
        "a?c; ac; false",
        "a.c; abc; false",
        "[ab]; a; false",
        "[ab]; [ab]; true",
        "a*?; a; false",
        "a*?; ab; true",
      })
  void matchesAsAWhole(String pattern, String text, boolean matches) {
    assertThat(Glob.of(pattern).matches(text)).isEqualTo(matches);
  }
}
