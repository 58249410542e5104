package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outrigger.program.testing.OutriggerProcess;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.RefusingPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The audit log of the real program, on its stdout. */
@Timeout(300)
class AuditLogIT {
  private final Mesh mesh = new Mesh();
  private final RefusingPort port = mesh.keep(RefusingPort.any());
  private final Backend app = mesh.backend("app");

  @TempDir private Path folder;

  @AfterEach
  void close() {
    mesh.close();
  }

  /** A Listener that admits calls of {@code test.Pay} alone, and writes both decisions. */
  private String listener() {
    String plain =
        Xds.serverListener(
            "in",
            "127.0.0.1",
            port.number(),
            "\"route_config\":{\"name\":\"in\",\"virtual_hosts\":[{\"name\":\"h\",\"domains\":[\"*\"],"
                + "\"routes\":[{\"match\":{\"prefix\":\"/\"},\"non_forwarding_action\":{}}]}]}");
    String rbac =
        """
        {"name":"rbac","typed_config":{
          "@type":"type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC",
          "rules":{"action":"ALLOW",
            "policies":{"pay":{"permissions":[{"url_path":{"path":{"prefix":"/test.Pay/"}}}],
              "principals":[{"any":true}]}},
            "audit_logging_options":{"audit_condition":"ON_DENY_AND_ALLOW","logger_configs":[
              {"audit_logger":{"name":"stdout","typed_config":{"@type":
                "type.googleapis.com/envoy.extensions.rbac.audit_loggers.stream.v3.StdoutAuditLog"
              }}}]}}}},
        """;
    String router = "{\"name\":\"router\"";
    return plain.replace(router, rbac + router);
  }

  @Test
  @Conformance("A59-03")
  void eachDecisionIsALineOnStdout() throws Exception {
    Path file = folder.resolve("in.json");
    Files.writeString(file, "{\"resources\":[" + listener() + "]}");
    try (var outrigger =
        OutriggerProcess.start(
            folder,
            "run",
            "--resources",
            file.toString(),
            "--serve",
            "127.0.0.1:" + port.number() + "=127.0.0.1:" + app.port(),
            "--admin",
            "127.0.0.1:0")) {
      outrigger.awaitReady(200);
      try (var caller =
          new App(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.number()))) {
        assertThat(caller.call("test.Pay/Charge").backend()).isEqualTo("app");
        assertThat(caller.call("other.Pay/Charge").local()).isEqualTo("denied");
      }
      outrigger.await("two lines", () -> outrigger.outLines().size() == 2);
      outrigger.terminate();
      assertThat(outrigger.awaitExit()).isZero();

      List<JsonObject> lines =
          outrigger.outLines().stream()
              .map(JsonParser::parseString)
              .map(line -> line.getAsJsonObject().getAsJsonObject("grpc_audit_log"))
              .toList();
      lines.forEach(
          line ->
              assertThat(line.remove("timestamp").getAsString()).startsWith("20").endsWith("Z"));
      assertThat(lines)
          .extracting(JsonObject::toString)
          .containsExactly(
              "{\"rpc_method\":\"/test.Pay/Charge\",\"principal\":\"\",\"policy_name\":\"rbac\","
                  + "\"matched_rule\":\"pay\",\"authorized\":true}",
              "{\"rpc_method\":\"/other.Pay/Charge\",\"principal\":\"\",\"policy_name\":\"rbac\","
                  + "\"matched_rule\":\"\",\"authorized\":false}");
    }
  }
}
