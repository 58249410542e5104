package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Text that is received again yields the cached object, unless the text is too long. */
class FieldCacheTest {
  private final FieldCache cache = new FieldCache();

  @ParameterizedTest
  @CsvSource({"1, true", "128, true", "129, false", "5000, false"})
  void aNameThatComesAgainIsTheSameUnlessItIsLong(int length, boolean kept) {
    HeaderName first = name("n".repeat(length));
    HeaderName second = name("n".repeat(length));

    assertThat(second.isSame(first)).isTrue();
    assertThat(second == first).isEqualTo(kept);
  }

  @ParameterizedTest
  @CsvSource({"0, true", "128, true", "129, false", "5000, false"})
  void aFieldThatComesAgainIsTheSameUnlessItIsLong(int length, boolean kept) {
    HeaderField first = field("x-name", "v".repeat(length));
    HeaderField second = field("x-name", "v".repeat(length));

    assertThat(second.isSame(first)).isTrue();
    assertThat(second == first).isEqualTo(kept);
  }

  @Test
  void aFieldWithALongNameIsNotKept() {
    assertThat(field("n".repeat(5000), "v")).isNotSameAs(field("n".repeat(5000), "v"));
  }

  @Test
  void textsStandAnywhereInABlock() {
    byte[] block = "??x-name??".getBytes(StandardCharsets.US_ASCII);

    HeaderName within = cache.name(block, 2, 6);

    assertThat(within).hasToString("x-name");
    assertThat(name("x-name")).isSameAs(within);
    assertThat(cache.field(within, block, 2, 6)).isSameAs(field("x-name", "x-name"));
  }

  /** There are more texts than places, so each place is used several times. */
  @Test
  void manyTextsAreToldApart() {
    for (int i = 0; i < 10_000; i++) {
      for (int time = 0; time < 2; time++) {
        assertThat(field("x-" + i % 2, "v" + i)).hasToString("x-" + i % 2 + "=v" + i);
        assertThat(name("x-" + i)).hasToString("x-" + i);
      }
    }
  }

  private HeaderName name(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    return cache.name(bytes, 0, bytes.length);
  }

  private HeaderField field(String name, String value) {
    byte[] bytes = value.getBytes(StandardCharsets.US_ASCII);
    return cache.field(name(name), bytes, 0, bytes.length);
  }
}
