package io.outrigger.xds.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class YamlJsonTest {
  private final YamlJson yaml = new YamlJson(10_000);

  @Test
  void treeIsTheSame() throws Exception {
    String text =
        """
        resources:
        - "@type": type.googleapis.com/T
          name: orders   # a comment
          list: [1, 2.5, true, null]
          nested: {a: "x\\ny", b: 'it''s'}
        - name: |
            two
            lines
        """;

    assertThat(yaml.toJson(text))
        .isEqualTo(
            "{\"resources\":[{\"@type\":\"type.googleapis.com/T\",\"name\":\"orders\","
                + "\"list\":[1,2.5,true,null],\"nested\":{\"a\":\"x\\ny\",\"b\":\"it's\"}},"
                + "{\"name\":\"two\\nlines\\n\"}]}");
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "18446744073709551615, 18446744073709551615",
    "-7, -7",
    "0x10, 16",
    "1e3, 1000.0",
    ".nan, '\"NaN\"'",
    "-.inf, '\"-Infinity\"'",
    "True, true",
    "yes, '\"yes\"'",
    "~, null",
    "2026-01-01, '\"2026-01-01\"'",
    "10s, '\"10s\"'",
    "'\"10\"', '\"10\"'",
  })
  void scalarsAreThoseOfJson(String scalar, String json) throws Exception {
    assertThat(yaml.toJson("a: " + scalar)).isEqualTo("{\"a\":" + json + "}");
  }

  @Test
  void keysAreText() throws Exception {
    assertThat(yaml.toJson("{1: a, true: b}")).isEqualTo("{\"1\":\"a\",\"true\":\"b\"}");
  }

  @Test
  void aliasesAreWrittenOut() throws Exception {
    assertThat(yaml.toJson("a: &x {b: 1}\nc: *x")).isEqualTo("{\"a\":{\"b\":1},\"c\":{\"b\":1}}");
  }

  @Test
  void errorsNameTheLine() {
    assertThatThrownBy(() -> yaml.toJson("a: 1\nb: [1, 2\nc: 3"))
        .isInstanceOf(YamlJson.Unreadable.class)
        .hasMessageContaining("not YAML")
        .hasMessageContaining("line 3");
    assertThatThrownBy(() -> yaml.toJson("a: 1\na: 2"))
        .hasMessageContaining("duplicate key a")
        .hasMessageContaining("line 2");
    assertThatThrownBy(() -> yaml.toJson("a: 1\n---\nb: 2"))
        .hasMessageContaining("expected a single document");
    assertThatThrownBy(() -> yaml.toJson("a: !!java.net.URL [x]"))
        .isInstanceOf(YamlJson.Unreadable.class);
  }

  @Test
  void smallTextThatMeansALotIsRefused() {
    var bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 30; i++) {
      bomb.append("a%d: &a%d [*a%d, *a%d]\n".formatted(i, i, i - 1, i - 1));
    }

    assertThatThrownBy(() -> yaml.toJson(bomb.toString()))
        .isInstanceOf(YamlJson.Unreadable.class)
        .hasMessageContaining("longer than 10000 characters");
  }

  @Test
  void loopsAndDepthsAreRefused() {
    assertThatThrownBy(() -> yaml.toJson("a: &a [*a]"))
        .isInstanceOf(YamlJson.Unreadable.class)
        .hasMessageContaining("nested deeper than 200 levels");
    assertThatThrownBy(() -> yaml.toJson("[".repeat(4_000) + "]".repeat(4_000)))
        .isInstanceOf(YamlJson.Unreadable.class)
        .hasMessageContaining("nested deeper than 200 levels");
  }

  @Test
  void longTextIsRefused() {
    assertThatThrownBy(() -> yaml.toJson("a: " + "x".repeat(10_001)))
        .isInstanceOf(YamlJson.Unreadable.class);
  }
}
