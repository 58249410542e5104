package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.outrigger.program.options.Flag;
import io.outrigger.program.options.StartFailure;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The server of {@code --health}: open to strangers, who can change nothing. */
@Timeout(600)
class HealthIT {
  private final Mesh mesh = new Mesh();
  private final ControlPlane controlPlane = mesh.controlPlane;

  @AfterEach
  void close() {
    mesh.close();
  }

  private Admin start() throws Exception {
    mesh.with(Flag.HEALTH, "127.0.0.1:0").start();
    return new Admin(mesh.proxy().address(Flag.HEALTH).orElseThrow());
  }

  private void serve() {
    controlPlane.serve(
        Xds.cluster("A"),
        Xds.endpoints("A", mesh.backend("a")),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
  }

  @Conformance("DI-01")
  @Test
  void probesAndMetricsAreThoseOfTheAdminServer() throws Exception {
    controlPlane.mute(true);
    Admin health = start();
    assertThat(health.get("/live")).extracting(Admin.Answer::status).isEqualTo(200);
    assertThat(health.get("/ready").status()).isEqualTo(503);
    assertThat(health.get("/ready").body()).contains("forward orders has no configuration yet");

    controlPlane.mute(false);
    serve();

    Await.until("it is ready", () -> health.get("/ready").status() == 200);
    assertThat(health.get("/metrics?collect[]=all").body())
        .contains("outrigger_build_info{", "outrigger_requests_started_total{forward=\"orders\"}");
    assertThat(health.get("/metrics").headers()).contains("content-type: text/plain; version=");
    assertThat(health.send("HEAD /ready", "Host: " + health.host()))
        .satisfies(
            head -> {
              assertThat(head.status()).isEqualTo(200);
              assertThat(head.body()).isEmpty();
            });
    var unused = mesh.proxy().drain();
    Await.until("it drains", () -> health.get("/ready").status() == 503);
    assertThat(health.get("/live").status()).isEqualTo(200);
  }

  @Conformance("DI-01")
  @Test
  void nothingElseIsThereAndNothingChanges() throws Exception {
    serve();
    Admin health = start();
    Await.until("it is ready", () -> health.get("/ready").status() == 200);
    String loggers = mesh.admin().get("/loggers").body();

    for (String path :
        List.of(
            "/",
            "/page.js",
            "/forwards",
            "/calls",
            "/lb",
            "/config_dump",
            "/xds",
            "/certs",
            "*",
            "/events",
            "/explain",
            "/history",
            "/memory",
            "/loggers",
            "/loggers/ROOT?level=TRACE",
            "/drain",
            "/quit",
            "/live/",
            "/live/x",
            "//live",
            "/Live",
            "/live%2f",
            "/../live")) {
      for (String method : List.of("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "BREW")) {
        Admin.Answer answer =
            health.send(
                method + " " + path, "Host: " + health.host(), "Content-Type: application/json");
        assertThat(answer.status()).as(method + " " + path).isEqualTo(404);
        assertThat(answer.body()).doesNotContain("page");
      }
    }

    assertThat(mesh.admin().get("/loggers").body()).isEqualTo(loggers);
    assertThat(health.get("/ready").status()).isEqualTo(200);
    assertThat(mesh.app().call("test.Pay/Charge").backend()).isEqualTo("a");
  }

  @Conformance("DI-01")
  @ParameterizedTest
  @CsvSource({"POST, /live", "PUT, /ready", "DELETE, /metrics", "OPTIONS, /live", "BREW, /ready"})
  void anotherMethodOfAProbeIsToldWhichThereAre(String method, String path) throws Exception {
    Admin health = start();

    Admin.Answer answer =
        health.send(
            method + " " + path, "Host: " + health.host(), "Content-Type: application/json");

    assertThat(answer.status()).isEqualTo(405); // RFC 9110 section 15.5.6
    assertThat(answer.headers()).contains("\r\nallow: get, head\r\n");
  }

  @Conformance("DI-01")
  @ParameterizedTest
  @ValueSource(
      strings = {"10.2.3.4:9902", "evil.example", "outbound|9902||x.default.svc", "", "[::1]:1"})
  void anyHostAndAnyOriginMayAsk(String host) throws Exception {
    Admin health = start();

    Admin.Answer answer = health.send("GET /live", "Host: " + host, "Origin: http://evil.example");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.headers()).doesNotContain("access-control");
  }

  @Conformance("DI-01")
  @Test
  void aRequestHasOneHost() throws Exception {
    Admin health = start();

    assertThat(health.send("GET /live", "Accept: */*").status()).isEqualTo(400);
    assertThat(health.send("GET /live", "Host: a", "Host: b").status()).isEqualTo(400);
  }

  @Conformance("DI-01")
  @Test
  void aPortInUseEndsTheStart() throws Exception {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      mesh.with(Flag.HEALTH, address);

      StartFailure failure = catchThrowableOfType(StartFailure.class, mesh::start);

      assertThat(failure)
          .hasMessageStartingWith("--health " + address + ": cannot listen on " + address)
          .hasMessageEndingWith("; stop what listens there or choose another address");
    }
  }
}
