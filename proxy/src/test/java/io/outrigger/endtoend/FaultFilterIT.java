package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults that the control plane has injected (A33). */
@Timeout(300)
class FaultFilterIT {
  private static final String METHOD = "test.Pay/Charge";

  /** Delays every call for an hour, one at a time. */
  private static final String ONE_DELAY =
      """
      {"name":"fault","typed_config":{
        "@type":"type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault",
        "delay":{"fixed_delay":"3600s","percentage":{"numerator":100}},"max_active_faults":1}}""";

  private final Mesh mesh = new Mesh();

  @AfterEach
  void close() {
    mesh.close();
  }

  @Conformance("A33-06")
  @ParameterizedTest(name = "{0} loops")
  @ValueSource(ints = {1, 2})
  void theLimitOfActiveFaultsIsThatOfTheProcess(int loops) throws Exception {
    mesh.controlPlane.serve(
        Xds.cluster("A"),
        Xds.endpoints("A", mesh.backend("a")),
        Xds.filteredListener("orders", "routes", ONE_DELAY),
        Xds.routesTo("routes", "A"));
    mesh.with(Flag.THREADS, "" + loops).startReady();
    List<App> apps = Stream.generate(mesh::app).limit(2).toList(); // on the loops in turn

    List<CompletableFuture<App.Reply>> calls = apps.stream().map(app -> app.send(METHOD)).toList();

    Await.until("one is not delayed", () -> calls.stream().anyMatch(CompletableFuture::isDone));
    apps.forEach(app -> assertThat(app.call(METHOD).backend()).isEqualTo("a"));
    assertThat(calls).as("the other is").filteredOn(CompletableFuture::isDone).hasSize(1);
  }
}
