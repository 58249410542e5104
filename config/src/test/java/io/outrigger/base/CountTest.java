package io.outrigger.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CountTest {
  @ParameterizedTest
  @CsvSource({"0, 0 clusters", "1, 1 cluster", "2, 2 clusters", "21, 21 clusters"})
  void onlyOneOfThemIsInTheSingular(long number, String text) {
    assertThat(Count.of(number, "cluster")).isEqualTo(text);
  }
}
