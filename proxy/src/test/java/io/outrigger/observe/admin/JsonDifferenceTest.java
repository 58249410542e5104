package io.outrigger.observe.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonDifferenceTest {
  private static List<String> difference(String before, String after) {
    return JsonDifference.of(JsonParser.parseString(before), JsonParser.parseString(after));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "{\"a\":1}         | {\"a\":1,\"b\":\"x\"}   | + b: \"x\"",
        "{\"a\":1,\"b\":2} | {\"a\":1}              | - b: 2",
        "{\"a\":{\"b\":1}} | {\"a\":{\"b\":[2]}}      | ~ a.b: 1 -> [2]",
        "{\"a\":[1,2]}     | {\"a\":[1,3]}          | ~ a[1]: 2 -> 3",
        "{\"a\":[1]}       | {\"a\":[1,{\"b\":2}]}  | + a[1]: {\"b\":2}",
        "{\"a\":[{\"b\":1},2]} | {\"a\":[{\"b\":1}]} | - a[1]: 2",
      })
  void eachPlaceHasALine(String before, String after, String line) {
    assertThat(difference(before, after)).containsExactly(line);
  }

  @Test
  void whatIsEqualHasNone() {
    assertThat(difference("{\"a\":[1,{\"b\":2}]}", "{\"a\":[1,{\"b\":2}]}")).isEmpty();
  }

  @Test
  void tooMuchIsCut() {
    String many =
        IntStream.range(0, 60)
            .mapToObj(i -> "\"f" + i + "\":" + i)
            .collect(Collectors.joining(",", "{", "}"));

    assertThat(difference("{}", many)).hasSize(51).endsWith("… 10 more");
    assertThat(difference("{}", "{\"a\":\"" + "x".repeat(1000) + "\"}").get(0))
        .hasSizeLessThan(300);
  }
}
