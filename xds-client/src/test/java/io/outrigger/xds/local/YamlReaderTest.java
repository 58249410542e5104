package io.outrigger.xds.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.config.route.v3.HeaderMatcher;
import io.outrigger.xds.local.Located.Position;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class YamlReaderTest {
  private static String json(String text) throws YamlReader.Unreadable {
    return YamlReader.read(text, 10_000).orElseThrow().json().toString();
  }

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

    assertThat(json(text))
        .isEqualTo(
            "{\"resources\":[{\"@type\":\"type.googleapis.com/T\",\"name\":\"orders\","
                + "\"list\":[1,2.5,true,null],\"nested\":{\"a\":\"x\\ny\",\"b\":\"it's\"}},"
                + "{\"name\":\"two\\nlines\\n\"}]}");
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "18446744073709551615, 18446744073709551615",
    "-7, -7",
    "1e3, 1e3",
    "1.10, 1.10",
    "true, true",
    "yes, '\"yes\"'",
    "~, null",
    "2026-01-01, '\"2026-01-01\"'",
    "10s, '\"10s\"'",
    "'\"10\"', '\"10\"'",
  })
  void scalarsAreThoseOfJson(String scalar, String json) throws Exception {
    assertThat(json("a: " + scalar)).isEqualTo("{\"a\":" + json + "}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0x10", "0o17", "007", "+1", ".5", "1.", ".nan", "-.inf", "True", "FALSE"})
  void aScalarThatJsonWritesDifferentlyIsRefusedWithItsPlace(String scalar) {
    assertThatThrownBy(() -> json("a: 1\nb: " + scalar))
        .hasMessageStartingWith(scalar + " is a ")
        .hasMessageContaining("put it in quotes if it is a text")
        .satisfies(
            e -> assertThat(((YamlReader.Unreadable) e).position()).isEqualTo(new Position(2, 4)));
    assertThatCode(() -> json("b: '" + scalar + "'")).doesNotThrowAnyException();
  }

  @Test
  void aTextFieldTakesTheCharactersOfANumber() throws Exception {
    String match = "{\"name\":\"h\",\"string_match\":{\"exact\":1.10}}";
    var read = HeaderMatcher.newBuilder();

    JsonFormat.parser().merge(json("{name: h, string_match: {exact: 1.10}}"), read);

    assertThat(json("{name: h, string_match: {exact: 1.10}}")).isEqualTo(match);
    assertThat(read.getStringMatch().getExact()).isEqualTo("1.10");
  }

  @Test
  void keysAreText() throws Exception {
    assertThat(json("{1: a, true: b}")).isEqualTo("{\"1\":\"a\",\"true\":\"b\"}");
  }

  @Test
  void aliasesAreWrittenOut() throws Exception {
    assertThat(json("a: &x {b: 1}\nc: *x")).isEqualTo("{\"a\":{\"b\":1},\"c\":{\"b\":1}}");
  }

  @Test
  void errorsNameTheLine() throws Exception {
    assertThatThrownBy(() -> json("a: 1\nb: [1, 2\nc: 3"))
        .isInstanceOf(YamlReader.Unreadable.class)
        .hasMessageContaining("not YAML")
        .satisfies(e -> assertThat(((YamlReader.Unreadable) e).position().line()).isEqualTo(3));
    assertThatThrownBy(() -> json("a: 1\na: 2"))
        .hasMessageContaining("\"a\" stands here twice")
        .satisfies(e -> assertThat(((YamlReader.Unreadable) e).position().line()).isEqualTo(2));
    assertThatThrownBy(() -> json("a: 1\n---\nb: 2"))
        .hasMessageContaining("expected a single document");
    assertThat(json("a: !!java.net.URL [x]"))
        .as("a tag makes no object")
        .isEqualTo("{\"a\":[\"x\"]}");
  }

  @Test
  void smallTextThatMeansALotIsRefused() {
    var bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 14; i++) { // 300,000 texts
      bomb.append("a%d: &a%d [*a%d, *a%d]\n".formatted(i, i, i - 1, i - 1));
    }

    assertThatThrownBy(() -> json(bomb.toString()))
        .isInstanceOf(YamlReader.Unreadable.class)
        .hasMessageContaining("its aliases repeat more than");
  }

  @Test
  void loopsAndDepthsAreRefused() {
    assertThatThrownBy(() -> json("a: &a [*a]"))
        .isInstanceOf(YamlReader.Unreadable.class)
        .hasMessageContaining("nested deeper than 200 levels");
    assertThatThrownBy(() -> json("[".repeat(4_000) + "]".repeat(4_000)))
        .isInstanceOf(YamlReader.Unreadable.class)
        .hasMessageContaining("nested deeper than 200 levels");
  }

  @Test
  void longTextIsRefused() {
    assertThatThrownBy(() -> json("a: " + "x".repeat(10_001)))
        .isInstanceOf(YamlReader.Unreadable.class);
  }
}
