package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * A control plane as istio's agent is one: behind a unix socket, ended and started again beside the
 * sidecar, and with one stream at a time.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(600)
class AgentIT {
  @TempDir private static Path folder;

  private final Path socket = folder.resolve("XDS");
  private final ControlPlane agent = new ControlPlane(socket);
  private final Mesh mesh = new Mesh(2, agent);

  @AfterEach
  void close() {
    mesh.close();
  }

  private void serve(String backend) {
    agent.serve(
        Xds.cluster("A"),
        Xds.endpoints("A", mesh.backend(backend)),
        Xds.listener("orders", "routes"),
        Xds.listener("users", "routes"),
        Xds.routesTo("routes", "A"));
  }

  private Load startWithLoad() throws Exception {
    serve("a");
    mesh.with(Flag.FORWARD, "orders@127.0.0.1:0=xds:///orders", "users@127.0.0.1:0=xds:///users")
        .startReady();
    assertThat(agent.target()).startsWith("unix:///");
    Load load = mesh.load(mesh.app(), "test.Pay/Charge", 100);
    load.awaitMore("a", 10);
    return load;
  }

  @Conformance("DI-03")
  @Test
  void anAgentThatGoesAndComesAgainCostsNoCall() throws Exception {
    Load load = startWithLoad();

    for (String next : List.of("b", "c")) {
      agent.kill();
      assertThat(Files.exists(socket)).isFalse();
      Await.until(
          "the loss is known",
          () -> mesh.admin().get("/xds").object().toString().contains("lastError\""));
      load.awaitMore(next.equals("b") ? "a" : "b", 20);
      agent.revive();
      serve(next);
      load.awaitMore(next, 20);
    }
    load.close();

    assertThat(load.failures()).isEmpty();
    assertThat(agent.mostStreams()).isEqualTo(1);
  }

  @Conformance("DI-03")
  @Test
  void anAgentThatComesAfterUsIsFound() throws Exception {
    serve("a");
    agent.kill();
    mesh.start();
    App app = mesh.app();

    App.Reply refused = app.call("test.Pay/Charge");

    assertThat(refused.local()).isEqualTo("xds_error");
    assertThat(refused.message()).contains(agent.target(), "the unix socket does not exist");
    assertThat(mesh.admin().get("/ready").status()).isEqualTo(503);
    agent.revive();
    Await.until("requests succeed", () -> app.call("test.Pay/Charge").status().isOk());
    assertThat(agent.opened()).isEqualTo(1);
  }

  @Conformance("DI-04")
  @Test
  void anAgentThatEndsItsStreamHasOneAtATime() throws Exception {
    Load load = startWithLoad();

    for (Status end : List.of(Status.UNAVAILABLE, Status.INTERNAL, Status.CANCELLED)) {
      int before = agent.opened();
      agent.endStreams(end.withDescription("upstream ended"));
      Await.until("another stream", () -> agent.opened() > before);
      load.awaitMore("a", 10);
    }
    serve("b");
    load.awaitMore("b", 10);
    load.close();

    assertThat(load.failures()).isEmpty();
    assertThat(agent.mostStreams()).as("of two forwards").isEqualTo(1);
  }
}
