package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.ResourceType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Sidecars that start while the control plane is down, with the state of an earlier one. */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
final class StateIT {
  private static final Duration AFTER = Duration.ofMillis(1500);

  @TempDir Path folder;
  private final Mesh mesh = new Mesh();
  private final ControlPlane controlPlane = mesh.controlPlane;

  @AfterEach
  void close() {
    mesh.close();
  }

  /** Runs a sidecar with a control plane until its configuration is kept; then both are gone. */
  private void keepState(Backend backend) throws Exception {
    controlPlane.serve(
        Xds.cluster("A"),
        Xds.endpoints("A", backend),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
    mesh.with(Flag.STATE, folder.toString()).with(Flag.STATE_AFTER, AFTER.toMillis() + "ms");
    mesh.startReady();
    Await.until("the state is kept", () -> Files.exists(folder.resolve("state")));
    controlPlane.kill();
    mesh.proxy().close();
  }

  @Test
  @Conformance({"ST-01", "ST-05"})
  void aSidecarAloneCarriesCallsWithTheStateOfTheOneBefore() throws Exception {
    keepState(mesh.backend("a"));

    long begin = System.nanoTime();
    mesh.start();
    App app = mesh.app();
    Await.until("calls succeed", () -> app.call("test.Pay/Charge").status().isOk());

    assertThat(Duration.ofNanos(System.nanoTime() - begin))
        .isBetween(AFTER, AFTER.plusSeconds(20)); // the bound of the row is one second; CI is slow
    Admin admin = mesh.admin();
    Await.until("it is ready", () -> admin.get("/ready").status() == 200);
    assertThat(admin.get("/ready").body()).contains("STALE: 4 resources");
    assertThat(admin.get("/xds").body()).contains("\"clientStatus\": \"STALE\"");
    assertThat(admin.get("/config_dump").body())
        .contains("\"ACKED\"")
        .doesNotContain("STALE", "REQUESTED");
    assertThat(admin.get("/events?format=json").body())
        .contains("\"kind\": \"stale\"")
        .contains("STALE: no control plane has answered within 1500 ms");
    assertThat(admin.get("/metrics").body()).contains("outrigger_xds_stale_resources 4");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).allMatch(file -> permissions(file).equals("rw-------"));
    }
  }

  @Test
  @Conformance("ST-01")
  void aProxyThatIsNotReadyTellsThatItsStateIsStale() throws Exception {
    keepState(mesh.backend("a"));
    mesh.start();
    Admin admin = mesh.admin();
    Await.until("it is ready", () -> admin.get("/ready").status() == 200);

    admin.post("/drain");

    assertThat(admin.get("/ready").status()).isEqualTo(503);
    assertThat(admin.get("/ready").body()).contains("drain").contains("STALE: 4 resources");
  }

  @Test
  @Conformance("ST-02")
  void theControlPlaneThatComesBackReplacesTheStateWithoutALostCall() throws Exception {
    keepState(mesh.backend("a"));
    mesh.start();
    Await.until("it is ready", () -> mesh.admin().get("/ready").status() == 200);
    Load load = mesh.load(mesh.app(), "test.Pay/Charge", 200);
    load.awaitMore("a", 20);

    controlPlane
        .serve(Xds.cluster("B"), Xds.endpoints("B", mesh.backend("b")), Xds.routesTo("routes", "B"))
        .remove(ResourceType.CLUSTER, "A")
        .revive();

    load.awaitMore("b", 50);
    load.close();
    assertThat(load.failures()).isEmpty();
    Admin admin = mesh.admin();
    Await.until(
        "nothing is stale", () -> admin.get("/metrics").body().contains("stale_resources 0"));
    assertThat(admin.get("/ready").body().strip()).isEqualTo("ready");
    Await.until("A is gone", () -> !admin.get("/xds").body().contains("\"name\":\"A\""));
  }

  @Test
  @Conformance("ST-02")
  void aListenerThatTheControlPlaneNoLongerHasIsGone() throws Exception {
    keepState(mesh.backend("a"));
    mesh.start();
    Await.until("it is ready", () -> mesh.admin().get("/ready").status() == 200);
    App app = mesh.app();

    controlPlane.remove(ResourceType.LISTENER, "orders").revive();

    Await.until("calls fail", () -> app.call("test.Pay/Charge").code() == Status.Code.UNAVAILABLE);
  }

  @Test
  @Conformance("ST-04")
  void aTargetThatWasNotKeptWaitsAndTheReasonIsTold() throws Exception {
    keepState(mesh.backend("a"));
    mesh.with(Flag.FORWARD, Mesh.FORWARD + "@127.0.0.1:0=xds:///another").start();

    Await.until(
        "the reason is told",
        () ->
            mesh.admin()
                .get("/events?format=json")
                .body()
                .contains("has no listener \\\"another\\\""));
    assertThat(mesh.admin().get("/ready").status()).isEqualTo(503);
  }

  @Test
  @Conformance("ST-03")
  void aDamagedStateIsNotUsedAndTheReasonIsTold() throws Exception {
    keepState(mesh.backend("a"));
    Path state = folder.resolve("state");
    byte[] content = Files.readAllBytes(state);
    content[content.length / 2] ^= 1;
    Files.write(state, content);
    mesh.start();

    Await.until(
        "the reason is told",
        () ->
            mesh.admin()
                .get("/events?format=json")
                .body()
                .contains("is damaged: its checksum is wrong"));
    assertThat(mesh.app().call("test.Pay/Charge").code()).isEqualTo(Status.Code.UNAVAILABLE);
  }

  private static String permissions(Path file) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    } catch (IOException gone) {
      throw new AssertionError(gone);
    }
  }
}
