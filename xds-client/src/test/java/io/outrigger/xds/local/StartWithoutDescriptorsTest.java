package io.outrigger.xds.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.xds.decode.DecodeContext;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plain resource files are read without protobuf's descriptors, which would be the largest part of
 * a start. In a process of its own, since what a JVM has initialized stays so.
 */
final class StartWithoutDescriptorsTest {
  private static final String PLAIN =
      """
      {"resources": [
        {"@type": "type.googleapis.com/envoy.config.listener.v3.Listener", "name": "orders",
         "api_listener": {"api_listener": {
           "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
           "route_config": {"name": "orders", "virtual_hosts": [{"name": "orders", "domains": ["*"], "routes": [
             {"match": {"prefix": "/"}, "route": {"timeout": "3s", "weighted_clusters": {"clusters": [
               {"name": "blue", "weight": 9}, {"name": "green", "weight": 1}]}}}]}]},
           "http_filters": [{"name": "router", "typed_config": {
             "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}},
        {"@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster", "name": "blue", "type": "EDS",
         "eds_cluster_config": {"eds_config": {"ads": {}}}},
        {"@type": "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment", "cluster_name": "blue",
         "endpoints": [{"locality": {"region": "local"}, "load_balancing_weight": 1, "lb_endpoints": [
           {"endpoint": {"address": {"socket_address": {"address": "127.0.0.1", "port_value": 8080}}}}]}]}]}
      """;

  /** Reads and decodes a file, as a start does. */
  static final class Reader {
    private Reader() {}

    public static void main(String[] arguments) {
      var context = new DecodeContext(ServerFeatures.NONE, Map.of());
      System.out.println(
          "found: " + ResourceValidator.validate(List.of(Path.of(arguments[0])), context));
    }
  }

  @Test
  void plainResourcesNeedNoDescriptors(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("plain.json"), PLAIN);

    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xlog:class+init=info",
                "-cp",
                System.getProperty("java.class.path"),
                Reader.class.getName(),
                file.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(output).contains("found: []").contains("envoy/config/route/v3/Route'");
    assertThat(output).doesNotContain("com/google/protobuf/Descriptors$FileDescriptor'");
  }
}
