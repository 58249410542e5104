package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What people read of an answer of {@code /explain}; the answer itself is tested where it is. */
class ExplainReportTest {
  private static final String ANSWER =
      """
      {"forward":"orders","target":"xds:///orders","authority":"orders",
       "request":{"method":"POST","path":"/a.B/C"},
       "routes":[{"index":0,"name":"","path":"prefix \\"/\\"","result":"hit"}],
       "branches":[{"probability":1,"cluster":"A",
         "route":{"index":0,"metadata":{}},
         "timeout":{"effective":15.0,"source":"default_timeout"},
         "retry":{"max_attempts":4,"codes":["UNAVAILABLE","CANCELLED"]},
         "filters":[{"kind":"fault","delay":"100 ms for 10 in 100","abort":"gRPC status 8"}],
         "session":{"cookie":"home","begins":false,"kept":KEPT,
           "endpoints":[{"address":"10.0.0.1:80","standing":"READY","owner":null}]},
         "circuit_breaker":{"in_flight":7,"limit":7,"full":true},
         "drops":[{"category":"shed","share":0.3}],
         "candidates":[],"excluded":[]}],
       "not_known":[]}
      """;

  private static List<String> lines(String kept) {
    return ExplainReport.lines(JsonView.of(ANSWER.replace("KEPT", kept)));
  }

  @Test
  void membersAreWordsNotJson() {
    assertThat(lines("true"))
        .contains(
            "  time limit 15 s (default_timeout)",
            "  at most 4 attempts, on UNAVAILABLE, CANCELLED",
            "  filter fault: delay 100 ms for 10 in 100, abort gRPC status 8",
            "  circuit breaker: 7 of 7 requests in flight, full",
            "  drops 30 % in category shed")
        .noneMatch(line -> line.contains("{"));
  }

  @Test
  void aLocalityWithoutAnyPartIsADash() {
    String ends =
        """
        "path":[{"policy":"round_robin","name":"//","state":"READY","detail":""}],
        "candidates":[{"address":"10.0.0.1:80","locality":"//","probability":1},
          {"address":"10.0.0.2:80","locality":"r/z/s","probability":0}],
        "excluded":[{"address":"10.0.0.3:80","locality":"//","reason":"is not connected"}]""";
    String answer =
        ANSWER
            .replace("KEPT", "true")
            .replace("\"candidates\":[],\"excluded\":[]", ends.replace("\n", ""));

    assertThat(ExplainReport.lines(JsonView.of(answer)))
        .contains(
            "  round_robin: -, READY",
            "  10.0.0.1:80 (-) with 100 %",
            "  10.0.0.2:80 (r/z/s) with 0 %",
            "  not 10.0.0.3:80 (-): is not connected");
  }

  @ParameterizedTest
  @CsvSource({
    "true, kept",
    "false, 'none of its endpoints can be had, the balancer picks'",
    "null, the first one here; it waits a moment until endpoints are looked up",
  })
  void aSessionIsKeptOrNotOrNotYetKnown(String kept, String said) {
    assertThat(lines(kept)).contains("  session of cookie home: " + said, "    10.0.0.1:80: READY");
  }

  @Test
  void aServedAddressIsToldWithTheVerdictFirst() {
    String answer =
        """
        {"serve":"pay","chain":{"name":"in","reason":"the best match"},"tls":true,
         "virtual_host":"h","route":"all","filters":[
           {"name":"deny","action":"DENY","verdict":"allowed","policy":null},
           {"name":"rbac","action":"ALLOW","verdict":"allowed","policy":"orders"}],
         "verdict":"allowed","reason":"policy \\"orders\\" allows"}
        """;
    assertThat(ExplainReport.served(JsonView.of(answer)))
        .containsExactly(
            "allowed: policy \"orders\" allows",
            "serve pay, with TLS",
            "chain \"in\": the best match",
            "virtual host \"h\", route \"all\"",
            "  filter deny (DENY): allowed, no policy matches",
            "  filter rbac (ALLOW): allowed by policy orders");
  }
}
