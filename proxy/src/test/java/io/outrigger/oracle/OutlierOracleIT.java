package io.outrigger.oracle;

import static io.outrigger.program.testing.mesh.MeshResources.assignment;
import static io.outrigger.program.testing.mesh.MeshResources.locality;
import static io.outrigger.program.testing.mesh.MeshResources.prefix;
import static io.outrigger.program.testing.mesh.MeshResources.route;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import io.envoyproxy.envoy.config.cluster.v3.OutlierDetection;
import io.outrigger.program.testing.mesh.MeshResources;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Who is ejected from a cluster of one priority, where gRPC's own client detects over the same
 * endpoints: four answer, one always fails.
 */
class OutlierOracleIT {
  /** A method of which {@link FlakyBackend} fails every call; the others know no such method. */
  private static final Request FAILING = Request.of("/INTERNAL.999.plain/Get");

  private static final int BATCH = 100;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Several intervals. */
  private static final Duration LONG_ENOUGH = Duration.ofSeconds(2);

  private List<NamedBackend> good;
  private FlakyBackend bad;
  private Twins twins;

  @BeforeEach
  void start() {
    good = Stream.of("alpha", "beta", "gamma", "delta").map(NamedBackend::new).toList();
    bad = new FlakyBackend();
    twins = new Twins("orders");
  }

  @AfterEach
  void stop() {
    twins.close();
    bad.close();
    good.forEach(NamedBackend::close);
  }

  /** The last row is an accepted difference: what is not set is off (A50-02). */
  @Conformance({"A50-02", "A50-17", "A50-19"})
  @ParameterizedTest(name = "{0}: {1}, {2}")
  @CsvSource({
    "enforcing_success_rate { } enforcing_failure_percentage { value: 100 } failure_percentage_threshold { value: 50 } failure_percentage_request_volume { value: 2 }, true, true",
    "enforcing_success_rate { } enforcing_failure_percentage { value: 100 } failure_percentage_threshold { value: 100 } failure_percentage_request_volume { value: 2 }, false, false",
    "enforcing_failure_percentage { } success_rate_request_volume { value: 2 } success_rate_stdev_factor { value: 1900 }, true, true",
    "enforcing_failure_percentage { } success_rate_request_volume { value: 2 } success_rate_stdev_factor { value: 2100 }, false, false",
    "failure_percentage_request_volume { value: 2 } success_rate_stdev_factor { value: 2100 }, false, true",
  })
  void whoIsEjected(String detection, boolean ours, boolean theirs) throws Exception {
    var settings =
        OutlierDetection.newBuilder()
            .setInterval(com.google.protobuf.Duration.newBuilder().setNanos(500_000_000))
            .setBaseEjectionTime(com.google.protobuf.Duration.newBuilder().setSeconds(3600));
    TextFormat.merge(detection, settings);
    int[] ports =
        Stream.concat(good.stream().map(NamedBackend::port), Stream.of(bad.port()))
            .mapToInt(Integer::intValue)
            .toArray();
    twins.cluster(
        MeshResources.cluster("pay").toBuilder().setOutlierDetection(settings).build(),
        assignment("pay", locality("a", 0, 1, ports)));
    twins.serveRoutes(List.of(route(prefix("/"), "pay")));
    assertThat(isEjected(twins.outrigger(), ours)).isEqualTo(ours);
    assertThat(isEjected(twins.grpcJava(), theirs)).isEqualTo(theirs);
  }

  /** Whether a batch of calls finds no failing backend any more, and finds all others. */
  private static boolean isEjected(Client client, boolean expected) {
    client.awaitAnswer(FAILING, "INTERNAL"); // it is connected
    Duration limit = expected ? PATIENCE : LONG_ENOUGH;
    long start = System.nanoTime();
    while (System.nanoTime() - start < limit.toNanos()) {
      List<String> answers = ask(client);
      if (!answers.contains("INTERNAL")) {
        assertThat(answers).contains("alpha", "beta", "gamma", "delta");
        return true;
      }
    }
    return false;
  }

  private static List<String> ask(Client client) {
    return client.askAll(Collections.nCopies(BATCH, FAILING));
  }
}
