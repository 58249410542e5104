package io.outrigger.observe.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.dataplane.calls.CallSummary;
import io.outrigger.testing.Conformance;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AccessLineTest {
  private static final long END = Instant.parse("2026-11-21T10:00:00.512Z").toEpochMilli();

  private static String line(CallSummary call) {
    return line(call, false);
  }

  private static String line(CallSummary call, boolean isServed) {
    var out = new StringBuilder("before\n");
    AccessLine.append(out, call.record("orders", END), isServed);
    return out.substring("before\n".length());
  }

  @Test
  void saysAllThatIsKnown() {
    assertThat(line(Calls.known("/pkg.Svc/Call")))
        .isEqualTo(
            """
            {"start":"2026-11-21T10:00:00.500Z","duration_ms":12.034,"forward":"orders",\
            "method":"POST","path":"/pkg.Svc/Call","authority":"app.local","route":"main",\
            "cluster":"pay","locality":"r/z/s","priority":1,"upstream":"10.0.0.1:80","attempts":2,\
            "grpc_status":"UNAVAILABLE","http_status":200,"local":"upstream_reset",\
            "request_bytes":5,"response_bytes":7,"timeout_ms":1500.000,\
            "traceparent":"00-aa-bb-01"}
            """);
  }

  @Test
  void leavesOutWhatIsNot() {
    assertThat(line(Calls.bare()))
        .isEqualTo(
            """
            {"start":"2026-11-21T10:00:00.500Z","duration_ms":12.034,"forward":"orders",\
            "method":"POST","path":"/","attempts":0,"request_bytes":5,"response_bytes":7}
            """);
  }

  @Test
  void aLocalityWithoutAnyPartIsNotSaid() {
    assertThat(line(Calls.known("/a.B/C", new Locality("", "", ""))))
        .contains("\"cluster\":\"pay\",\"priority\":1");
    assertThat(line(Calls.known("/a.B/C", new Locality("", "z", ""))))
        .contains("\"locality\":\"/z/\"");
  }

  @Test
  @Conformance("OPS-07")
  void aServedCallHasItsCallerAndItsPolicy() {
    String start =
        "{\"start\":\"2026-11-21T10:00:00.500Z\",\"duration_ms\":12.034,\"serve\":\"orders\",";

    assertThat(line(Calls.known("/"), true))
        .startsWith(start + "\"peer\":\"spiffe://mesh/ship\",\"policy\":\"readers\",\"method\":");
    assertThat(line(Calls.bare(), true))
        .startsWith(start + "\"peer\":null,\"policy\":null,\"method\":");
  }

  /** Line breaks, both forms of terminal escapes, and text that runs to the left. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a\nfake\r\nline",
        "/\u001b[31mred",
        "/\u009b31mred",
        "/\u0000\u007f",
        "/\u202eevil",
        "/quote\"and\\slash",
        "/grün/日本",
        "/tab\there"
      })
  void neutralisesWhatIsNotPlain(String path) {
    String line = line(Calls.known(path));

    assertThat(line).endsWith("}\n");
    assertThat(line.substring(0, line.length() - 1).chars())
        .noneMatch(c -> c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0x202e);
    assertThat(JsonParser.parseString(line).getAsJsonObject().get("path").getAsString())
        .isEqualTo(path);
  }

  @Test
  void cutsWhatIsLong() {
    String path = "/" + "x".repeat(100_000);

    String line = line(Calls.known(path));

    assertThat(JsonParser.parseString(line).getAsJsonObject().get("path").getAsString())
        .isEqualTo(path.substring(0, AccessLine.MAX_TEXT) + "...");
  }
}
