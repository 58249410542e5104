package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.endtoend.StrictBackend.Limits;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Backends that end connections in order, again and again: it costs no call, whatever the rate. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class GracefulEndIT {
  private static final int CALLS = 1_000;

  private final Mesh mesh = new Mesh();

  @AfterEach
  void close() {
    mesh.close();
  }

  private List<StrictBackend> serve(int loops, int count, Limits limits) throws Exception {
    List<StrictBackend> backends =
        Stream.generate(() -> mesh.keep(new StrictBackend("a", limits))).limit(count).toList();
    mesh.controlPlane.serve(
        Xds.cluster("A"),
        Xds.endpoints(
            "A", Xds.locality("a", 0, 1, backends.stream().map(StrictBackend::port).toList())),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
    mesh.with(Flag.THREADS, "" + loops).startReady();
    return backends;
  }

  /** Makes calls on several connections of apps; all of them must go well. */
  private void assertNothingFails(int perSecond) {
    List<Load> loads = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      loads.add(mesh.load(mesh.app(), "test.Pay/Charge", perSecond));
    }
    loads.forEach(load -> load.awaitMore("a", CALLS * perSecond / 1_000));
    loads.forEach(Load::close);

    assertThat(loads).allSatisfy(load -> assertThat(load.failures()).isEmpty());
  }

  @Conformance("SC-35")
  @ParameterizedTest(name = "{0} loops, {1} backends, a GOAWAY after {2} ms, {3} calls a second")
  @CsvSource({
    "1, 1, 100, 300",
    "2, 1, 100, 300",
    "1, 2, 500, 300",
    "2, 2, 500, 300",
    "2, 2, 100, 300",
    // Few calls: some connections end before they were used at all.
    "1, 1, 100, 3",
    "2, 2, 100, 3",
  })
  void connectionsOfAShortAgeCostNoCall(int loops, int count, int millis, int perSecond)
      throws Exception {
    Limits limits =
        new Limits().ageOfAConnection(Duration.ofMillis(millis)).answerTime(Duration.ofMillis(2));
    List<StrictBackend> backends = serve(loops, count, limits);

    assertNothingFails(perSecond);

    assertThat(backends).allSatisfy(backend -> assertThat(backend.everServed()).isGreaterThan(1));
  }

  @Conformance("SC-35")
  @ParameterizedTest(name = "{0} loops, {1} calls each, answered after {2} ms")
  @CsvSource({"1, 50, 0", "2, 50, 0", "1, 50, 5", "2, 50, 5", "2, 10, 0"})
  void connectionsForAFewCallsCostNoCall(int loops, int calls, int millis) throws Exception {
    Limits limits = new Limits().callsOfAConnection(calls).answerTime(Duration.ofMillis(millis));
    List<StrictBackend> backends = serve(loops, 1, limits);

    assertNothingFails(100);

    assertThat(backends.get(0).everServed()).isGreaterThan(3);
  }
}
