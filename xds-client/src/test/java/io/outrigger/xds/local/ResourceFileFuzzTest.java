package io.outrigger.xds.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever stands in a resource file, it is read, or its problems are told. */
final class ResourceFileFuzzTest {
  private static final String CLUSTER =
      """
      {"resources": [{"@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster", "name": "c",
      "type": "EDS", "eds_cluster_config": {"eds_config": {"ads": {}}},
      "connect_timeout": "1.5s", "outlier_detection": {"max_ejection_percent": 10}}]}
      """;

  private static final String ENDPOINTS =
      """
      resources:
        - "@type": type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment
          cluster_name: &name c
          endpoints:
            - locality: {zone: z}
              load_balancing_weight: 1
              lb_endpoints:
                - endpoint: {address: {socket_address: {address: 10.0.0.1, port_value: 80}}}
      """;

  @TempDir Path folder;

  static Stream<byte[]> json() {
    return bytes("", "{}", "[", CLUSTER);
  }

  static Stream<byte[]> yaml() {
    return bytes("", "a: &a [*a]", "? - : -", ENDPOINTS, CLUSTER);
  }

  private static Stream<byte[]> bytes(String... texts) {
    return Stream.of(texts).map(text -> text.getBytes(StandardCharsets.UTF_8));
  }

  @MethodSource("json")
  @FuzzTest
  void anyJson(byte[] bytes) throws IOException {
    read("file.json", bytes);
  }

  @MethodSource("yaml")
  @FuzzTest
  void anyYaml(byte[] bytes) throws IOException {
    read("file.yaml", bytes);
  }

  private void read(String name, byte[] bytes) throws IOException {
    Path path = Files.write(folder.resolve(name), bytes);

    WatchedFile<List<NamedResource>> file =
        WatchedFile.unread(path, ResourceFiles.FORMAT).read(ResourceFiles.FORMAT);

    assertThat(file.problems().isEmpty()).isEqualTo(file.good());
    assertThat(file.problems()).allSatisfy(problem -> assertThat(problem.message()).isNotBlank());
  }
}
