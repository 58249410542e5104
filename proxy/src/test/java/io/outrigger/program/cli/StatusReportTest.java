package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outrigger.testing.Conformance;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StatusReportTest {

  static final String FORWARDS =
      """
      [{"name": "orders", "listen": "127.0.0.1:9001", "target": "xds:///orders", "state": "READY",
        "error": "", "endpoints": 3, "failing": 1},
       {"name": "pay", "listen": "unix:/run/pay.sock", "target": "xds:///pay", "state": "ERROR",
        "error": "no\\u001b[2Jlistener"}]
      """;
  static final String XDS =
      """
      {"node": "me", "servers": [
        {"uri": "cp:443", "asked": true, "connected": true, "streams": 2, "failures": 1,
         "nacks": 3, "lastError": "UNAVAILABLE: refused"}], "resources": [
        {"typeUrl": "type.googleapis.com/envoy.config.cluster.v3.Cluster", "name": "a",
         "versionInfo": "7", "clientStatus": "NACKED",
         "errorState": {"details": "lb_policy", "versionInfo": "8"}}]}
      """;
  static final String EVENTS =
      """
      [{"seq": 4, "time": "2026-11-21T10:00:00Z", "kind": "nack", "forward": "", "subject": "a",
        "message": "refused\\n\u009b2J <b>"}]
      """;
  static final String LB =
      """
      {"forwards": [{"name": "orders", "target": "xds:///orders", "root":
        {"name": "a", "policy": "priority", "state": "READY", "config": {}, "detail": "uses 0",
         "children": [{"name": "0", "policy": "round_robin", "state": "READY", "children": [],
           "endpoints": [
             {"address": "10.0.0.1:80", "locality": "r/z/s", "health": "HEALTHY", "weight": 1,
              "state": "READY", "active_requests": 3, "ejected": null},
             {"address": "[::1]:80", "health": "UNKNOWN", "weight": 2, "state": "READY",
              "active_requests": 0, "ejected": {"since": "s", "until": "u", "times": 1,
              "by": "success_rate"}}]}]}},
        {"name": "pay", "target": "xds:///pay", "root": null}]}
      """;

  static final String OVERLAY =
      """
      {"rules": [
        {"name": "eject", "file": "/etc/p.yaml", "line": 2, "mode": "default",
         "matched": {"clusters": 2, "routes": 0}, "set": [
           {"resource": "a", "field": "outlier_detection.interval", "value": "5s"},
           {"resource": "b", "field": "outlier_detection.interval", "value": "5s"}],
         "left_out": [{"resource": "c\u001b", "field": "lb_policy", "reason": "no such"}]},
        {"name": "many", "file": "/etc/p.yaml", "line": 9, "mode": "override",
         "matched": {"clusters": 0, "routes": 1}, "set": [
           {"resource": "r", "field": "f1", "value": 1}, {"resource": "r", "field": "f2", "value": 1},
           {"resource": "r", "field": "f3", "value": 1}, {"resource": "r", "field": "f4", "value": 1},
           {"resource": "r", "field": "f5", "value": 1}],
         "left_out": []},
        {"name": "idle", "file": "/etc/q.yaml", "line": 1, "mode": "default",
         "matched": {"clusters": 0, "routes": 0}, "set": [], "left_out": []}],
       "errors": [{"file": "/etc/r.yaml", "line": 5, "column": 7, "message": "no such field"}]}
      """;

  /** Renders the usual replies, with others in the place of some: names and replies in turn. */
  private static StatusReport.Lines render(String... others) {
    var answers = new JsonObject();
    List<String> replies = new ArrayList<>(List.of("forwards", FORWARDS, "xds", XDS, "lb", LB));
    replies.addAll(List.of("events", EVENTS));
    replies.addAll(List.of(others));
    for (int i = 0; i < replies.size(); i += 2) {
      answers.add(replies.get(i), JsonParser.parseString(replies.get(i + 1)));
    }
    return StatusReport.render(new JsonView(answers));
  }

  /** A target of {@code dns:} or {@code k8s:} has no control plane that could fail. */
  @ParameterizedTest
  @ValueSource(strings = {"dns", "k8s:///orders.shop:8080"})
  void aTargetWithoutControlPlaneIsNone(String uri) {
    String xds =
        "{\"servers\": [{\"uri\": \"%s\", \"asked\": true, \"connected\": false}]}".formatted(uri);

    StatusReport.Lines lines = render("xds", xds);

    assertThat(lines.problems()).noneMatch(line -> line.contains("control plane"));
    assertThat(lines.tables()).noneMatch(line -> line.contains("CONTROL PLANE"));
    assertThat(render("xds", XDS).tables()).anyMatch(line -> line.startsWith("CONTROL PLANE"));
  }

  /** Served addresses have a client, and so a connection, of their own. */
  @Test
  void aControlPlaneThatIsAskedTwiceSaysForWhat() {
    String xds =
        """
        {"servers": [{"uri": "cp:443", "asked": true, "connected": true, "nacks": 0, "failures": 0},
          {"uri": "cp:443", "clientScope": "#server", "asked": true, "connected": true}]}
        """;

    assertThat(render("xds", xds).tables())
        .anyMatch(line -> line.startsWith("cp:443   "))
        .anyMatch(line -> line.startsWith("cp:443 for --serve  true"));
  }

  @Test
  void aFallbackThatIsNotAskedIsNoProblem() {
    String xds = "{\"servers\": [{\"uri\": \"b\", \"asked\": %s, \"connected\": false}]}";

    assertThat(render("xds", xds.formatted(false)).problems())
        .noneMatch(line -> line.contains("control plane"));
    assertThat(render("xds", xds.formatted(true)).problems())
        .contains("control plane b: not connected");
  }

  @Test
  void aLocalityWithoutAnyPartIsADash() {
    String lb = LB.replace("\"name\": \"0\"", "\"name\": \"//\"");

    assertThat(render("xds", XDS, "lb", lb).tables())
        .contains("    -              round_robin  READY  -")
        .noneMatch(line -> line.startsWith("    //"));
  }

  @Test
  void servedAddressesHaveATableAndTheirErrorsAreProblems() {
    String listeners =
        """
        [{"name": "pay", "listen": "10.1.2.3:8080", "app": "127.0.0.1:8080", "resource": "in",
          "state": "NOT_SERVING", "error": "listener \\"in\\": does not exist", "chains": [],
          "connections": 0}]
        """;

    StatusReport.Lines lines = render("listeners", listeners);

    assertThat(lines.problems())
        .contains("serve pay: NOT_SERVING: listener \"in\": does not exist");
    assertThat(String.join("\n", lines.tables()))
        .contains(
            """
            SERVE  LISTEN         APP             STATE        CONNECTIONS  ERROR
            pay    10.1.2.3:8080  127.0.0.1:8080  NOT_SERVING  0            listener "in": does not exist
            """);
  }

  @Conformance("OV-06")
  @Test
  void localPolicyIsAnOutline() {
    assertThat(render("overlay", OVERLAY).problems())
        .contains("local policy /etc/r.yaml:5: no such field");
    assertThat(String.join("\n", render("overlay", OVERLAY).tables()))
        .contains(
            """
            no cluster yet

            LOCAL POLICY
            rules:
              -
                name: eject
                file: /etc/p.yaml
                line: 2
                mode: default
                matched: clusters 2, routes 0
                set:
                  - resource a, field outlier_detection.interval, value 5s
                  - resource b, field outlier_detection.interval, value 5s
                left out:
                  - resource c , field lb_policy, reason no such
              -
                name: many
            """);
  }

  @Conformance("OV-06")
  @Test
  void withoutLocalPolicyThereIsNoTableOfIt() {
    assertThat(render("overlay", "{\"rules\":[],\"errors\":[]}").tables())
        .isEqualTo(render().tables());
  }

  @Test
  void tablesInTheOrderOfAQuestion() {
    assertThat(String.join("\n", render().tables()))
        .isEqualTo(
            """
            FORWARD  LISTEN              TARGET         STATE                             ERROR
            pay      unix:/run/pay.sock  xds:///pay     ERROR                             no [2Jlistener
            orders   127.0.0.1:9001      xds:///orders  READY, 2 of 3 backends reachable  -

            CONTROL PLANE  IN USE  CONNECTED  NACKS  FAILURES  LAST ERROR
            cp:443         true    true       3      1         UNAVAILABLE: refused

            RESOURCE  TYPE     STATE   VERSION  ERROR
            a         Cluster  NACKED  7        lb_policy

            LB TREE            POLICY       STATE  DETAIL
            orders             -            -      xds:///orders
              a                priority     READY  uses 0
                0              round_robin  READY  -
                  10.0.0.1:80  -            READY  health HEALTHY, weight 1, active 3
                  [::1]:80     -            READY  health UNKNOWN, weight 2, active 0, %s
            pay                -            -      xds:///pay, no cluster yet

            TIME                  EVENT  SUBJECT  MESSAGE
            2026-11-21T10:00:00Z  nack   a        refused 2J <b>\
            """
                .formatted("ejected by success_rate until u"));
  }

  @Test
  void whatFailsIsSaidFirst() {
    String outage =
        """
        [{"name": "orders", "listen": "l", "target": "t", "state": "READY", "endpoints": 198,
          "failing": 198, "error": "cluster a: calls fail; last error: refused"}]""";
    StatusReport.Lines lines =
        render(
            "forwards",
            outage,
            "xds",
            XDS.replace("\"connected\": true", "\"connected\": false"),
            "certs",
            AdminCommandsIT.CERTS);

    assertThat(lines.problems())
        .containsExactly(
            "forward orders: READY, 0 of 198 backends reachable: cluster a: calls fail; last error:"
                + " refused",
            "certificate plain: private_key_file /k.pem does not exist",
            "certificate roots: ca_certificate_file /r.pem does not exist",
            "control plane cp:443: not connected: UNAVAILABLE: refused");
    assertThat(lines.tables().get(1)).contains("READY, 0 of 198 backends reachable");
    assertThat(render().problems()).containsExactly("forward pay: ERROR: no [2Jlistener");
  }

  @Test
  @Conformance("ST-01")
  void staleResourcesAreAProblem() {
    StatusReport.Lines lines = render("xds", XDS.replace("NACKED", "STALE"));

    assertThat(lines.problems())
        .contains("1 resource STALE: saved by an earlier process; no control plane has answered");
  }
}
