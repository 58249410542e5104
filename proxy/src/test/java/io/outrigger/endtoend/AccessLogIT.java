package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The lines of {@code --access-log} for calls over real sockets. */
@Timeout(600)
class AccessLogIT {
  private final Mesh mesh = new Mesh();
  @TempDir private Path folder;

  @AfterEach
  void close() {
    mesh.close();
  }

  @Test
  void aLineForEachRequestSaysWhatBecameOfIt() throws Exception {
    Path file = folder.resolve("access.log");
    Backend backend = mesh.backend("a");
    mesh.controlPlane.serve(
        Xds.cluster("A"),
        Xds.endpoints("A", backend),
        Xds.listener("orders", "routes"),
        Xds.routes(
            "routes",
            Xds.host(
                "*",
                Xds.routeTo("/test.Pay/", "{\"cluster\":\"A\",\"timeout\":\"20s\"}")
                    .replace("{\"match\"", "{\"name\":\"pay\",\"match\""))));
    mesh.with(Flag.ACCESS_LOG, file.toString()).startReady();
    App app = mesh.app();

    app.call("test.Pay/Charge", "traceparent", "00-0af7651916cd43dd8448eb211c80319c-01");
    app.call("test.Other/Call");
    app.call("test.Pay/Hold", "grpc-timeout", "100m"); // a deadline of the client may end it unsent
    Await.until("three lines are there", () -> lines(file).size() == 3);

    JsonObject first = line(file, 0);
    assertThat(first.get("forward").getAsString()).isEqualTo("orders");
    assertThat(first.get("method").getAsString()).isEqualTo("POST");
    assertThat(first.get("path").getAsString()).isEqualTo("/test.Pay/Charge");
    assertThat(first.get("route").getAsString()).isEqualTo("pay");
    assertThat(first.get("cluster").getAsString()).isEqualTo("A");
    assertThat(first.get("locality").getAsString()).isEqualTo("r/a/s");
    assertThat(first.get("priority").getAsInt()).isZero();
    assertThat(first.get("upstream").getAsString()).isEqualTo("127.0.0.1:" + backend.port());
    assertThat(first.get("attempts").getAsInt()).isEqualTo(1);
    assertThat(first.get("grpc_status").getAsString()).isEqualTo("OK");
    assertThat(first.get("http_status").getAsInt()).isEqualTo(200);
    assertThat(first.get("response_bytes").getAsInt()).isEqualTo(6);
    assertThat(first.get("timeout_ms").getAsDouble()).isEqualTo(20_000);
    assertThat(first.get("traceparent").getAsString()).contains("0af7651916cd43dd8448eb211c80319c");
    assertThat(first.has("local")).isFalse();

    JsonObject second = line(file, 1);
    assertThat(second.get("local").getAsString()).isEqualTo("no_route");
    assertThat(second.get("grpc_status").getAsString()).isEqualTo("UNAVAILABLE");
    assertThat(second.has("cluster")).isFalse();

    assertThat(line(file, 2).get("path").getAsString()).isEqualTo("/test.Pay/Hold");
    assertThat(line(file, 2).get("duration_ms").getAsDouble()).isPositive();
  }

  @Test
  void thePriorityIsThatOfTheEndpointAlsoAfterItsLocalityMoved() throws Exception {
    Path file = folder.resolve("access.log");
    Backend dead = mesh.absentBackend("dead");
    Backend backend = mesh.backend("b");
    String second = Xds.locality("b", 1, 1, backend);
    mesh.controlPlane.serve(
        Xds.cluster("A"),
        Xds.endpoints("A", Xds.locality("a", 0, 1, dead), second),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
    mesh.with(Flag.ACCESS_LOG, file.toString()).startReady();
    App app = mesh.app();

    assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("b");
    int connections = backend.connections(); // one for each loop that has one
    mesh.controlPlane.serve(Xds.endpoints("A", Xds.locality("b", 0, 1, backend)));
    Await.until(
        "the new priority is logged",
        () -> {
          int before = lines(file).size();
          app.call("test.Pay/Charge");
          Await.until("a line more", () -> lines(file).size() > before);
          return line(file, lines(file).size() - 1).get("priority").getAsInt() == 0;
        });

    assertThat(line(file, 0).get("priority").getAsInt()).isEqualTo(1);
    assertThat(backend.connections()).as("kept").isEqualTo(connections);
  }

  private static JsonObject line(Path file, int index) {
    return JsonParser.parseString(lines(file).get(index)).getAsJsonObject();
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
