package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.channel.epoll.Epoll;
import io.outrigger.program.options.Flag;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same calls over each way to talk to the operating system ({@code --transport}). */
@Timeout(600)
class TransportIT {
  private final Mesh mesh = new Mesh();

  @AfterEach
  void close() {
    mesh.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "nio", "epoll", "io_uring"})
  void callsGoThroughAndAreCounted(String transport) throws Exception {
    if (transport.equals("epoll")) {
      assumeThat(Epoll.isAvailable()).as("no epoll here: %s", Epoll.unavailabilityCause()).isTrue();
    }
    Backend a = mesh.backend("a");
    mesh.controlPlane.serve(
        Xds.cluster("A"),
        Xds.endpoints("A", a),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));

    mesh.with(Flag.TRANSPORT, transport).startReady();

    Admin admin = mesh.admin();
    for (String view : List.of("/lb", "/forwards", "/config_dump", "/metrics")) {
      assertThat(admin.get(view).body()).as(view).isNotEmpty();
    }
    assertThat(admin.get("/metrics").body())
        .as("requests before the app's first")
        .doesNotContainPattern("outrigger_requests_started_total\\{[^}]*\\} [1-9]");
    App app = mesh.app();
    for (int i = 0; i < 20; i++) {
      assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("a");
    }
    assertThat(admin.get("/metrics").body())
        .containsPattern("outrigger_requests_started_total\\{[^}]*\\} 20");
  }
}
