package io.outrigger.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlainTextTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\n",
        "\r",
        "\t",
        "\u001b",
        "\u007f",
        "\u0085",
        "\u009b", // controls
        "\u2028",
        "\u2029", // separators
        "\u00ad",
        "\u200b",
        "\u200f",
        "\u202e",
        "\u2066",
        "\ufeff",
        "\udb40\udc01" // format
      })
  void whatSteersIsASpace(String character) {
    assertThat(PlainText.of("a" + character + "b")).isEqualTo("a b");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "cluster-1", "Überfälle", "\u05e9\u05dc\u05d5\u05dd", "\ud83d\ude80"})
  void otherTextIsAsItWas(String text) {
    assertThat(PlainText.of(text)).isSameAs(text);
  }

  @Test
  void aTextAboveTheLimitIsCutAndEndsWithAnEllipsis() {
    assertThat(PlainText.shortened("abc", 3)).isEqualTo("abc");
    assertThat(PlainText.shortened("abcd", 3)).isEqualTo("abc…");
  }

  @Test
  void aRunOfThemIsOneSpace() {
    assertThat(PlainText.of("\r\n\u202ea \u001b\u009bb\n")).isEqualTo(" a  b ");
  }

  @Test
  void jsonSaysTheSameInEscapes() {
    assertThat(PlainText.ofJson("{\n\"a\\n\u202e\": \"\u009b\u007fü\udb40\udc01\"}\n"))
        .isEqualTo("{\n\"a\\n\\u202e\": \"\\u009b\\u007fü\\udb40\\udc01\"}\n");
    String clean = "{\"a\": \"ü\"}\n";
    assertThat(PlainText.ofJson(clean)).isEqualTo(clean);
  }

  @Test
  void halfACharacterOnItsOwnStays() {
    assertThat(PlainText.of("a\ud83d\n")).isEqualTo("a\ud83d ");
  }
}
