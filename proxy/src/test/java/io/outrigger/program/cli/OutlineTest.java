package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutlineTest {
  private static List<String> lines(String json) {
    return Outline.of(JsonParser.parseString(json).getAsJsonObject());
  }

  @Test
  void aTimeoutWithoutALimitSaysSo() {
    String unlimited =
        "{'timeout':{'route_limit':null,'source':'listener_max_stream_duration','asked':null,"
            + "'effective':null}}";
    String asked =
        "{'timeout':{'route_limit':null,'source':'timeout','asked':2.5,'effective':2.5}}";

    assertThat(lines(unlimited))
        .containsExactly(
            "timeout: route limit none, source listener_max_stream_duration, asked none,"
                + " effective none");
    assertThat(lines(asked))
        .containsExactly(
            "timeout: route limit none, source timeout, asked 2500ms, effective 2500ms");
  }

  @Test
  void anAnswerOfExplainIsReadInWords() {
    String answer =
        """
        {"forward":"orders","request":{"method":"POST","path":"/a.B/C","headers":[]},
         "routes":[{"index":0,"name":"","path":"prefix \\"/\\"","result":"hit"}],
         "branches":[{"probability":0.33333333,"route":{"index":0,"metadata":{}},
           "timeout":{"route_limit":15.0,"effective":0.025,"source":"default_timeout"},
           "retry":{"max_attempts":4,"codes":["UNAVAILABLE","CANCELLED"]},
           "circuit_breaker":{"in_flight":12345,"limit":7,"full":true},
           "candidates":[{"address":"10.0.0.1:80","locality":"//","probability":1},
             {"address":"10.0.0.2:80","locality":"r/z/s","probability":0}],
           "excluded":[]}],
         "not_known":["what the backend answers"]}
        """;

    assertThat(lines(answer))
        .containsExactly(
            "forward: orders",
            "request: method POST, path /a.B/C",
            "routes:",
            "  - index 0, path prefix \"/\", result hit",
            "branches:",
            "  -",
            "    probability: 0.3333",
            "    route: index 0",
            "    timeout: route limit 15s, effective 25ms, source default_timeout",
            "    retry:",
            "      max attempts: 4",
            "      codes: UNAVAILABLE, CANCELLED",
            "    circuit breaker: in flight 12345, limit 7, full true",
            "    candidates:",
            "      - address 10.0.0.1:80, probability 1",
            "      - address 10.0.0.2:80, locality r/z/s, probability 0",
            "not known:",
            "  - what the backend answers");
  }

  @Test
  void anEmptyAnswerHasNoLines() {
    assertThat(Outline.of(JsonParser.parseString("[]"))).isEmpty();
  }

  @Test
  void longListsAreCutAndControlCharactersReplaced() {
    String list = String.join(",", Collections.nCopies(23, "{\"a\":\"x\\u001b[2J\"}"));

    assertThat(lines("{\"all\":[" + list + "]}"))
        .hasSize(22)
        .contains("  - a x [2J")
        .endsWith("  - and 3 more; --json lists them");
  }
}
