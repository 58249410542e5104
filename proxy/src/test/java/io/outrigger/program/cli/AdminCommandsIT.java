package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpServer;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.RefusingPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * {@code status}, {@code certs} and {@code wait} against an HTTP server that plays the admin side.
 */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
final class AdminCommandsIT {
  static final String CERTS =
      """
      [{"instance": "default", "plugin": "file_watcher", "certificates": [
         {"subject": "CN=orders", "uri_sans": ["spiffe://mesh/orders"], "dns_sans": ["orders"],
          "serial": "1f", "not_before": "2026-11-23T00:00:00Z",
          "not_after": "2026-11-26T00:00:00Z"},
         {"subject": "CN=issuing", "uri_sans": [], "dns_sans": [], "serial": "2",
          "not_before": "2026-11-01T00:00:00Z", "not_after": "2026-11-24T00:00:00Z"}],
        "roots": [{"subject": "CN=root"}, {"subject": "CN=other"}],
        "loaded": "2026-11-23T11:00:00.250123Z", "error": null},
       {"instance": "plain", "plugin": "file_watcher", "certificates": [
         {"subject": "CN=a\\u001b[2J", "uri_sans": [], "dns_sans": [], "serial": "1f",
          "not_before": "2026-11-01T00:00:00Z", "not_after": "2026-11-20T12:00:00Z"}],
        "roots": [], "loaded": "2026-11-01T11:00:00Z",
        "error": "private_key_file /k.pem does not exist"},
       {"instance": "roots", "plugin": "file_watcher", "certificates": [], "roots": [],
        "loaded": null, "error": "ca_certificate_file /r.pem does not exist"}]
      """;

  private final CommandLineFixture outrigger = new CommandLineFixture();
  private final Map<String, String> answers = new ConcurrentHashMap<>();
  private final AtomicInteger readyAfter = new AtomicInteger();
  private final CountDownLatch secondRound = new CountDownLatch(2);
  private final HttpServer server;
  private final String address;

  AdminCommandsIT() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String path = exchange.getRequestURI().getPath();
          if (path.equals("/forwards")) {
            secondRound.countDown();
          }
          boolean found =
              path.equals("/ready") ? readyAfter.getAndDecrement() <= 0 : answers.containsKey(path);
          byte[] body =
              answers
                  .getOrDefault(path, "orders: waiting\npay: waiting\n")
                  .getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(found ? 200 : 503, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    address = "127.0.0.1:" + server.getAddress().getPort();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void statusPrintsTheTables() {
    answers.put("/forwards", StatusReportTest.FORWARDS);
    answers.put("/xds", StatusReportTest.XDS);
    answers.put("/events", StatusReportTest.EVENTS);
    answers.put("/lb", StatusReportTest.LB);

    assertThat(outrigger.run("status", "--admin", address)).isZero();
    assertThat(outrigger.outLines()).contains("RESOURCE  TYPE     STATE   VERSION  ERROR");

    outrigger.environment.put("OUTRIGGER_ADMIN", "0.0.0.0:" + server.getAddress().getPort());
    assertThat(outrigger.run("status")).isZero();
    assertThat(outrigger.outLines()).contains("RESOURCE  TYPE     STATE   VERSION  ERROR");
  }

  @Test
  void statusAsJsonHasAllAnswersOfTheChosenForwards() {
    answers.put("/forwards", StatusReportTest.FORWARDS);
    answers.put("/xds", StatusReportTest.XDS);
    answers.put("/events", StatusReportTest.EVENTS);
    answers.put("/lb", StatusReportTest.LB);

    assertThat(outrigger.run("status", "--json", "--admin", address)).isZero();
    JsonObject all = JsonParser.parseString(outrigger.out.toString()).getAsJsonObject();
    assertThat(all.keySet()).containsExactly("forwards", "xds", "lb", "events");
    assertThat(all.getAsJsonArray("forwards")).hasSize(2);
    assertThat(outrigger.out.toString()).doesNotContain("\u001b", "\u009b");

    assertThat(outrigger.run("status", "--json", "--forward", "pay", "--admin", address)).isZero();
    JsonObject pay = JsonParser.parseString(outrigger.out.toString()).getAsJsonObject();
    assertThat(pay.getAsJsonArray("forwards")).hasSize(1);
    assertThat(pay.getAsJsonObject("lb").getAsJsonArray("forwards"))
        .singleElement()
        .extracting(each -> each.getAsJsonObject().get("name").getAsString())
        .isEqualTo("pay");

    assertThat(outrigger.run("status", "--forward", "none", "--admin", address)).isEqualTo(2);
    assertThat(outrigger.errorLines())
        .containsExactly(
            "outrigger: --forward: there is no forward \"none\"; it is one of orders, pay");
  }

  @Test
  void statusLeavesOutForwardsThatWork() {
    answers.put(
        "/forwards",
        """
        [{"name": "fine", "state": "READY", "error": "", "endpoints": 3, "failing": 0},
         {"name": "half", "state": "READY", "error": "", "endpoints": 3, "failing": 1},
         {"name": "broken", "state": "ERROR", "error": "no listener"}]
        """);
    answers.put("/xds", StatusReportTest.XDS);
    answers.put("/events", "[]");
    answers.put("/lb", "{\"forwards\": [{\"name\": \"fine\"}, {\"name\": \"half\"}]}");

    assertThat(outrigger.run("status", "--failing", "--admin", address)).isZero();
    assertThat(outrigger.outLines())
        .anyMatch(line -> line.startsWith("half"))
        .anyMatch(line -> line.startsWith("broken"))
        .noneMatch(line -> line.startsWith("fine"));
  }

  @Conformance("OV-06")
  @Test
  void statusPrintsTheRulesWhereTheSidecarKnowsAny() {
    answers.put("/forwards", StatusReportTest.FORWARDS);
    answers.put("/xds", StatusReportTest.XDS);
    answers.put("/events", StatusReportTest.EVENTS);
    answers.put("/lb", StatusReportTest.LB);
    assertThat(outrigger.run("status", "--admin", address)).as("an older sidecar").isZero();
    assertThat(outrigger.outLines()).doesNotContain("LOCAL POLICY");

    answers.put("/overlay", StatusReportTest.OVERLAY);
    assertThat(outrigger.run("status", "--admin", address)).isZero();
    assertThat(outrigger.outLines()).contains("    name: eject", "    file: /etc/p.yaml");
  }

  @Test
  void watchDrawsTheTablesAgainAndAgain() throws InterruptedException {
    answers.put("/forwards", StatusReportTest.FORWARDS);
    answers.put("/xds", StatusReportTest.XDS);
    answers.put("/events", StatusReportTest.EVENTS);
    answers.put("/lb", StatusReportTest.LB);
    Thread watching = new Thread(() -> outrigger.run("status", "--watch", "--admin", address));

    watching.start();
    secondRound.await(); // the second begins once the first is drawn
    watching.interrupt();
    watching.join();

    assertThat(outrigger.out.toString())
        .as("not a terminal")
        .startsWith("\nforward pay: ERROR")
        .doesNotContain("\u001b");
  }

  @Test
  void statusOfAnotherServerIsOneLine() {
    assertStatusFails(address, "GET /forwards was answered with 503; is that an Outrigger?");

    answers.putAll(Map.of("/forwards", "<html>", "/xds", "", "/lb", "", "/events", ""));
    assertStatusFails(address, "its answer is not that of an Outrigger admin server");
  }

  @Test
  void statusWithoutServerIsOneLine() {
    try (var refusing = RefusingPort.any()) {
      assertStatusFails(
          "127.0.0.1:" + refusing.number(),
          "no answer (cannot connect); is the sidecar running there?");
    }
  }

  private void assertStatusFails(String admin, String reason) {
    assertThat(outrigger.run("status", "--admin", admin)).isEqualTo(1);
    assertThat(outrigger.errorLines())
        .containsExactly("outrigger: --admin " + admin + ": " + reason);
  }

  @Test
  void certsPrintsAnOutlineOrTheAnswerAsItIs() {
    answers.put("/certs", CERTS);

    assertThat(outrigger.run("certs", "--admin", address)).isZero();
    assertThat(outrigger.outLines())
        .contains("  instance: default", "  error: private_key_file /k.pem does not exist");

    answers.put("/certs", "[{\"instance\": \"a\u009b2J\"}]\n");
    assertThat(outrigger.run("certs", "--json", "--admin", address)).isZero();
    assertThat(outrigger.out).hasToString("[{\"instance\": \"a\\u009b2J\"}]\n");
  }

  @Test
  void certsOfAnotherServerIsOneLine() {
    for (String wrong : List.of("", "1")) {
      if (!wrong.isEmpty()) {
        answers.put("/certs", wrong);
      }

      assertThat(outrigger.run("certs", "--admin", address)).isEqualTo(1);
      assertThat(outrigger.errorLines())
          .containsExactly(
              "outrigger: --admin "
                  + address
                  + (wrong.isEmpty()
                      ? ": GET /certs was answered with 503; is that an Outrigger?"
                      : ": its answer is not that of an Outrigger admin server"));
    }
  }

  @Test
  void waitReturnsOnceReady() {
    readyAfter.set(2);

    assertThat(outrigger.run("wait", "--admin", address)).isZero();
    assertThat(readyAfter).hasValue(-1);
    assertThat(outrigger.errorLines()).isEmpty();
  }

  @Test
  void waitGivesUpWithTheReasons() {
    readyAfter.set(Integer.MAX_VALUE);

    // Long enough for one answer, whatever holds the machine up.
    assertThat(outrigger.run("wait", "--admin", address, "--timeout", "10s")).isEqualTo(1);
    assertThat(outrigger.errorLines())
        .containsExactly(
            "outrigger: --admin "
                + address
                + ": not ready after 10s: orders: waiting; pay: waiting");

    server.stop(0);
    try (var gone = RefusingPort.at(server.getAddress().getPort())) {
      assertNoAnswer("127.0.0.1:" + gone.number(), "500ms");
    }
  }

  @Test
  @Timeout(10) // the time limit of other requests is 15 s
  void waitGivesUpInTimeWhenTheSidecarAcceptsAConnectionButNeverReplies() throws IOException {
    try (var silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      assertNoAnswer("127.0.0.1:" + silent.getLocalPort(), "100ms");
    }
  }

  private void assertNoAnswer(String admin, String timeout) {
    assertThat(outrigger.run("wait", "--admin", admin, "--timeout", timeout)).isEqualTo(1);
    assertThat(outrigger.errorLines())
        .containsExactly(
            "outrigger: --admin %s: not ready after %s: no answer; is the sidecar running there?"
                .formatted(admin, timeout));
  }
}
