package io.outrigger.xds.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.outrigger.testing.ForeignBytes;
import io.outrigger.testing.ForeignBytes.Case;
import io.outrigger.testing.Shape;
import io.outrigger.xds.status.FileProblem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Resource and overlay files: any text is read, or its problems are told. */
class FileBytesRandomTest {
  private static final int RUNS = 500;
  private static final String JSON =
      """
      {"resources": [{"@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster", "name": "c",
      "type": "EDS", "eds_cluster_config": {"eds_config": {"ads": {}}},
      "connect_timeout": "1.5s", "outlier_detection": {"max_ejection_percent": 10}}]}
      """;
  private static final String YAML =
      """
      resources:
        - "@type": type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment
          cluster_name: &name c
          endpoints:
            - locality: {zone: z, region: *name}
              load_balancing_weight: 0x10
              lb_endpoints:
                - endpoint: {address: {socket_address: {address: 10.0.0.1, port_value: 80}}}
                  load_balancing_weight: !!int "7"
      """;
  private static final String OVERLAY =
      """
      overlay:
      - name: a
        clusters: ["*"]
        mode: override
        patch:
          outlier_detection: {interval: 5s, max_ejection_percent: 20, enforcing_success_rate: 0}
      - name: routes
        targets: ["xds:///*"]
        routes: {path_prefix: "*", path: "/a/*", name: "*"}
        patch: {timeout: 3s, retry_policy: {retry_on: unavailable, num_retries: 2}}
      """;
  private static final String OVERLAY_JSON =
      """
      {"overlay": [{"name": "a", "clusters": ["*"], "patch": {"lb_policy": "RING_HASH",
      "circuit_breakers": {"thresholds": [{"max_requests": 7}]}}}]}
      """;

  static Stream<Case> readers() {
    return Stream.of(
        of("resources in JSON", ResourceFiles.FORMAT, "a.json", JSON),
        of("resources in YAML", ResourceFiles.FORMAT, "a.yaml", YAML),
        of("resources in JSON, which is YAML", ResourceFiles.FORMAT, "a.yaml", JSON),
        of("overlay in YAML", OverlayFormat.FORMAT, "a.yaml", OVERLAY),
        of("overlay in JSON", OverlayFormat.FORMAT, "a.json", OVERLAY_JSON));
  }

  private static <T> Case of(
      String name, WatchedFile.Format<T> format, String file, String sample) {
    ForeignBytes.Reader reader =
        bytes -> {
          List<FileProblem> problems = new ArrayList<>();
          format.parser().parse(Path.of(file), new String(bytes, UTF_8), problems);
          problems.forEach(problem -> requireNonNull(problem.toString()));
        };
    Shape shape = sample.startsWith("{") ? Shape.JSON : Shape.BYTES;
    return Case.ofText(name, Void.class, reader, shape, sample);
  }

  @ParameterizedTest
  @MethodSource("readers")
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void anyBytes(Case reader) {
    ForeignBytes.check(reader, RUNS);
  }
}
