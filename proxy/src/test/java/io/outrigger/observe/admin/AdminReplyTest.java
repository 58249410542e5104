package io.outrigger.observe.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.netty.buffer.ByteBuf;
import io.outrigger.base.PlainText;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdminReplyTest {
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
  void everyTextIsReadAsItWasAndSteersNothing(String text) {
    String written = written(List.of(text));

    assertThat(JsonParser.parseString(written).getAsJsonArray().get(0).getAsString())
        .isEqualTo(text);
    assertThat(written.replace("\n", "").codePoints()).noneMatch(PlainText::isControl);
  }

  @Test
  void anAnswerOfManyPiecesIsWhole() {
    List<String> names = IntStream.range(0, 20_000).mapToObj(i -> "näme-" + i).toList();

    String written = written(names);

    assertThat(JsonParser.parseString(written).getAsJsonArray())
        .extracting(each -> each.getAsString())
        .isEqualTo(names);
  }

  /** The leak detector of the build sees pieces that are not released. */
  private static String written(List<String> texts) {
    ByteBuf bytes = AdminReply.json(200, texts).body();
    try {
      return bytes.toString(StandardCharsets.UTF_8);
    } finally {
      bytes.release();
    }
  }
}
