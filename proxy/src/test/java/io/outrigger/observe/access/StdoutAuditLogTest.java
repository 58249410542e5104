package io.outrigger.observe.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.config.rbac.Rbac.Decision;
import io.outrigger.testing.Conformance;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StdoutAuditLogTest {
  private static final Clock CLOCK =
      Clock.fixed(Instant.parse("2026-11-26T21:00:00.123456789Z"), ZoneOffset.UTC);
  private static final Decision DENIED = new Decision(false, Optional.of("ns-p-0"), 1);

  private static final PeerIdentity NOBODY = new PeerIdentity.Anonymous();

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @Test
  @Conformance("A59-03")
  void aLineHasTheFieldsOfAnAuditEvent() {
    try (var audit = new StdoutAuditLog(LogWriter.started("audit log memory", out), CLOCK)) {
      audit.record("/s.S/M", peer("spiffe://mesh/a"), "envoy.filters.http.rbac", DENIED);
    }

    assertThat(lines())
        .containsExactly(
            "{\"grpc_audit_log\":{\"timestamp\":\"2026-11-26T21:00:00.123456789Z\","
                + "\"rpc_method\":\"/s.S/M\",\"principal\":\"spiffe://mesh/a\","
                + "\"policy_name\":\"envoy.filters.http.rbac\",\"matched_rule\":\"ns-p-0\","
                + "\"authorized\":false}}");
  }

  @Test
  @Conformance({"A59-01", "A59-03"})
  void everyLoggerWritesALineAndTextsCannotBreakIt() {
    try (var audit = new StdoutAuditLog(LogWriter.started("audit log memory", out), CLOCK)) {
      audit.record(
          "/a\n{\"\u001b[31m\u009b", NOBODY, "\u202ef", new Decision(true, Optional.empty(), 2));
    }

    assertThat(lines())
        .hasSize(2)
        .allMatch(line -> line.chars().allMatch(c -> c >= ' ' && c < 127));
    JsonObject event =
        JsonParser.parseString(lines().get(1)).getAsJsonObject().getAsJsonObject("grpc_audit_log");
    assertThat(event.get("rpc_method").getAsString()).isEqualTo("/a\n{\"\u001b[31m\u009b");
    assertThat(event.get("policy_name").getAsString()).isEqualTo("\u202ef");
    assertThat(event.get("principal").getAsString()).isEmpty();
    assertThat(event.get("matched_rule").getAsString()).isEmpty();
    assertThat(event.get("authorized").getAsBoolean()).isTrue();
  }

  @Test
  @Conformance("A59-03")
  void aFullQueueLosesLinesAndCountsThem() {
    var writer = new LogWriter("audit log memory", out, 2); // not started: nothing is written
    var audit = new StdoutAuditLog(writer, CLOCK);
    for (int i = 0; i < 5; i++) {
      audit.record("/s.S/M", NOBODY, "f", DENIED);
    }

    assertThat(audit.lost()).isEqualTo(3);

    writer.start();
    audit.close();
    assertThat(lines()).hasSize(2);
  }

  @Test
  @Conformance("A59-03")
  void linesThatCannotBeWrittenAreCounted() {
    var broken =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("no reader");
          }
        };
    var audit = new StdoutAuditLog(LogWriter.started("audit log memory", broken), CLOCK);
    audit.record("/s.S/M", NOBODY, "f", new Decision(false, Optional.empty(), 2));
    audit.close();

    assertThat(audit.lost()).isEqualTo(2);
  }

  @Test
  @Conformance("A59-03")
  void aPeerHasASpiffeIdIfItHasOneUriAlone() {
    assertThat(peer("spiffe://a/b").spiffeId()).isEqualTo("spiffe://a/b");
    assertThat(peer("https://a/b").spiffeId()).isEmpty();
    assertThat(peer("spiffe://a/b", "spiffe://a/c").spiffeId()).isEmpty();
    assertThat(peer().spiffeId()).isEmpty();
    assertThat(NOBODY.spiffeId()).isEmpty();
  }

  private static PeerIdentity peer(String... uris) {
    return new PeerIdentity.Certified(List.of(uris), List.of("a.example"), "CN=a");
  }

  private List<String> lines() {
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }
}
