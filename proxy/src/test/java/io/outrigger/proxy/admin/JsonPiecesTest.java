package io.outrigger.proxy.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import io.netty.buffer.ByteBuf;
import io.outrigger.base.PlainText;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonPiecesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "orders",
        "\"quoted\\\"",
        "line\nfeed\r\ttab\u0000\u001f\u007f",
        "größe 東京 \uD83D\uDE00",
        "</script>\u2028\u2029",
        "ä\nö\u2028ü\"",
        "\u202Eright to left\u200B \uDB40\uDC01 hidden\u0085",
      })
  void everyTextIsReadAsItWas(String text) {
    String written = written(json -> json.text(text));

    assertThat(JsonParser.parseString(written).getAsString()).isEqualTo(text);
    assertThat(written.codePoints()).as(written).noneMatch(PlainText::steers);
  }

  @Test
  void halfACharacterIsAQuestionMark() {
    assertThat(written(json -> json.text("a\uD83Db"))).isEqualTo("\"a?b\"");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 7, 10, 99, 1_234_567_890_123L, Long.MAX_VALUE, -1, Long.MIN_VALUE})
  void everyNumberIsWrittenInFull(long number) {
    assertThat(written(json -> json.number(number))).isEqualTo(Long.toString(number));
  }

  @Test
  void valuesAreWrittenByTheirKind() {
    Map<String, Object> value = new LinkedHashMap<>();
    value.put("text", "10s");
    value.put("whole", 100);
    value.put("part", 0.5);
    value.put("flag", true);
    value.put("list", List.of("a", 2L, false));
    value.put("map", Map.of("k\"", List.of()));

    assertThat(written(json -> json.value(value)))
        .isEqualTo(
            "{\"text\":\"10s\",\"whole\":100,\"part\":0.5,\"flag\":true,"
                + "\"list\":[\"a\",2,false],\"map\":{\"k\\\"\":[]}}");
  }

  @Test
  void whatJsonDoesNotKnowIsRefused() {
    assertThatThrownBy(() -> written(json -> json.value(Double.NaN)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no JSON for NaN");
    assertThatThrownBy(() -> written(json -> json.value(new Object())))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anAnswerOfManyPiecesIsWhole() {
    var expected = new JsonArray();
    for (int i = 0; i < 20_000; i++) {
      expected.add("name-" + i);
    }

    String written =
        written(
            json -> {
              json.raw('[');
              for (int i = 0; i < 20_000; i++) {
                if (i > 0) {
                  json.raw(',');
                }
                json.text("name-" + i);
              }
              json.raw(']');
            });

    assertThat(written).isEqualTo(expected.toString()).hasSizeGreaterThan(200_000);
  }

  /** The leak detector of the build sees pieces that nobody releases. */
  private static String written(Consumer<JsonPieces> writer) {
    try (var json = new JsonPieces()) {
      writer.accept(json);
      ByteBuf text = json.take();
      try {
        return text.toString(StandardCharsets.UTF_8);
      } finally {
        text.release();
      }
    }
  }
}
