package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.outrigger.program.testing.OutriggerProcess;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.xds.testing.ScriptedApiServer;
import io.outrigger.xds.testing.SliceText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The commands that look into a mesh, as processes of their own (CONTRACT section 1). */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class CommandsIT {
  private final Mesh mesh = new Mesh();
  @TempDir private Path folder;

  @AfterEach
  void close() {
    mesh.close();
  }

  @Test
  void explainTellsTheWayInWords() throws Exception {
    Backend a = mesh.serve();
    mesh.startReady();
    assertThat(mesh.app().call("test.Pay/Charge").backend()).isEqualTo("a");
    String admin = mesh.admin().host();

    try (var explain =
        OutriggerProcess.start(
            folder, "explain", "--admin", admin, "--path", "/test.Pay/Charge", "--header", "k=v")) {
      assertThat(explain.awaitExit()).as(explain.errorText()).isZero();
      assertThat(String.join("\n", explain.outLines()))
          .contains("forward: orders\ntarget: xds:///orders\n")
          .contains("routes:\n  - index 0, path with prefix \"\", result hit\n")
          .contains("name r/a/s, policy round_robin, state READY")
          .contains(
              "address 127.0.0.1:"
                  + a.port()
                  + ", locality r/a/s, authority orders, probability 1");
    }
    try (var json =
        OutriggerProcess.start(
            folder, "explain", "--admin", admin, "--path", "/test.Pay/Charge", "--json")) {
      assertThat(json.awaitExit()).as(json.errorText()).isZero();
      assertThat(JsonParser.parseString(String.join("\n", json.outLines())).getAsJsonObject())
          .extracting(answer -> answer.get("decision").getAsString())
          .isEqualTo("forward");
    }
    try (var bad = OutriggerProcess.start(folder, "explain", "--admin", admin, "--path", "test")) {
      assertThat(bad.awaitExit()).isEqualTo(2);
      assertThat(bad.errorLines())
          .containsExactly(
              "outrigger: path does not start with a slash; write it as /package.Service/Method");
    }
  }

  @Test
  void statusShowsTheWholeStateInATerminal() throws Exception {
    Backend a = mesh.serve();
    mesh.startReady();

    try (var status = OutriggerProcess.start(folder, "status", "--admin", mesh.admin().host())) {
      assertThat(status.awaitExit()).as(status.errorText()).isZero();
      assertThat(String.join("\n", status.outLines()))
          .contains("FORWARD", "CONTROL PLANE", "RESOURCE", "LB TREE", "EVENT")
          .contains("127.0.0.1:" + a.port())
          .contains("ads_connected");
    }
  }

  @Test
  void aLiveValidationPrintsTheTreeThatWouldBeBuilt() throws Exception {
    Backend a = mesh.serve();

    try (var good = validate("60s")) {
      assertThat(good.awaitExit()).as(good.errorText()).isZero();
      assertThat(String.join("\n", good.outLines()))
          .contains("xds:///orders: virtual host \"*\", 1 route, 1 cluster")
          .contains("  outlier_detection: A")
          .contains("priority: A")
          .contains("round_robin: r/a/s, 127.0.0.1:" + a.port());
    }
    assertThat(a.connections()).as("no backend is connected").isZero();
  }

  @Test
  void whatALiveClientWouldRefuseIsFound() throws Exception {
    mesh.serve();
    mesh.controlPlane.serve(Xds.watchedCluster("A", "\"interval\":\"-1s\""));

    try (var bad = validate("60s")) {
      assertThat(bad.awaitExit()).isEqualTo(2);
      assertThat(String.join("\n", bad.outLines())).contains("outlier_detection.interval");
    }
  }

  @Test
  void aLiveValidationChecksReferencesAsOneOfFilesDoes() throws Exception {
    Backend a = mesh.serve();
    mesh.controlPlane.serve(
        Xds.endpoints("A", Xds.in("UNHEALTHY", Xds.locality("a", 0, 1, a))),
        Xds.routes(
            "routes",
            Xds.host("*", Xds.route("pay.Pay/", "A"), Xds.route("", "A")),
            Xds.host("other", Xds.route("", "of another service"))));

    try (var broken = validate("60s")) {
      assertThat(broken.awaitExit()).isEqualTo(2);
      assertThat(broken.outLines())
          .anyMatch(
              line ->
                  line.contains("endpoints \"A\": endpoints: no call of cluster \"A\" can succeed"))
          .anyMatch(
              line ->
                  line.startsWith("warning: xds:///orders: route configuration \"routes\": ")
                      && line.contains("\"pay.Pay/\" matches no request"))
          .noneMatch(line -> line.contains("another service"));
    }
  }

  @Test
  void aControlPlaneThatSaysNothingIsNotWaitedForForEver() throws Exception {
    mesh.serve();
    mesh.controlPlane.mute(true);

    try (var silent = validate("500ms")) {
      assertThat(silent.awaitExit()).isEqualTo(2);
      assertThat(String.join("\n", silent.outLines()))
          .contains("no response for listener \"orders\" within 0.5 s");
    }
  }

  @Conformance("DI-08")
  @Test
  void aNameOfDnsIsCheckedWithoutABootstrap() throws Exception {
    Backend a = mesh.backend("a");
    try (var good =
        OutriggerProcess.start(
            folder, "validate", "--live", "--target", "dns:///127.0.0.1:" + a.port())) {
      assertThat(good.awaitExit()).as(good.errorText()).isZero();
      assertThat(String.join("\n", good.outLines()))
          .contains("dns:///127.0.0.1:" + a.port() + ": virtual host \"dns:///127.0.0.1:")
          .contains("round_robin: //, 127.0.0.1:" + a.port());
    }
  }

  @Conformance("KN-05")
  @Test
  void aServiceOfKubernetesIsCheckedWithoutABootstrap() throws Exception {
    TestAuthority authority = TestAuthority.named("cluster");
    try (var api = new ScriptedApiServer(authority.issue("ip:127.0.0.1"))) {
      String kubeconfig = api.writeKubeconfig(folder, authority.rootPem()).toString();
      api.put(SliceText.of("orders-1", "orders").port("grpc", 9090).ready("10.0.0.1"));
      String[] command = {
        "validate", "--live", "--kubeconfig", kubeconfig, "--target", "k8s:///orders.shop:grpc"
      };
      try (var good = OutriggerProcess.start(folder, command)) {
        assertThat(good.awaitExit()).as(good.errorText()).isZero();
        assertThat(String.join("\n", good.outLines())).contains("10.0.0.1:9090");
      }
      api.refuse("list", 403, "forbidden");
      try (var bad = OutriggerProcess.start(folder, command)) {
        assertThat(bad.awaitExit()).isEqualTo(2);
        assertThat(String.join("\n", bad.outLines()))
            .contains("cannot list endpointslices in namespace \"shop\"", "Role with the verbs");
      }
    }
  }

  private OutriggerProcess validate(String timeout) throws IOException {
    Path bootstrap = folder.resolve("bootstrap.json");
    Files.writeString(
        bootstrap,
        """
        {"xds_servers":[{"server_uri":"%s","channel_creds":[{"type":"insecure"}],
         "server_features":["xds_v3"]}],"node":{"id":"n"}}\
        """
            .formatted(mesh.controlPlane.target()));
    return OutriggerProcess.start(
        folder,
        "validate",
        "--live",
        "--bootstrap",
        bootstrap.toString(),
        "--target",
        "xds:///orders",
        "--timeout",
        timeout);
  }
}
