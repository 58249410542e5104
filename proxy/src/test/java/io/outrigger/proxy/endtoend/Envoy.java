package io.outrigger.proxy.endtoend;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outrigger.base.WaitingClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A real Envoy that has the resources which a control plane would give Outrigger, from files. What
 * differs is only where they come from, a socket for its listener, and HTTP/2 to backends, which
 * gRPC's clients take for granted.
 */
final class Envoy implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(30);
  private static final String CLUSTER = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
  private static final String HTTP = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

  private final Path folder;
  private final InetSocketAddress address;
  private final Process process;

  private Envoy(Path folder, InetSocketAddress address, Process process) {
    this.folder = folder;
    this.address = address;
    this.process = process;
  }

  /**
   * Starts {@code binary} and waits until it listens.
   *
   * @param resources routes, clusters and endpoints; the routes are all that the listener has
   * @param filters that stand before the router
   */
  static Envoy start(Path binary, List<String> resources, String... filters) throws IOException {
    Path folder = Files.createTempDirectory("envoy");
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), freePort());
    JsonObject routes = new JsonObject();
    var clusters = new JsonArray();
    for (String json : resources) {
      JsonObject resource = JsonParser.parseString(json).getAsJsonObject();
      if (resource.has("virtual_hosts")) {
        routes = resource;
        routes.remove("@type");
      } else if (resource.get("@type").getAsString().equals(CLUSTER)) {
        clusters.add(cluster(folder, resource));
      } else {
        writeEndpoints(folder, resource);
      }
    }
    Path config = folder.resolve("envoy.json");
    Files.writeString(config, bootstrap(address.getPort(), routes, clusters, filters).toString());
    Path log = folder.resolve("envoy.log");
    Process process =
        new ProcessBuilder(
                binary.toString(),
                "-c",
                config.toString(),
                "--concurrency",
                "1",
                "--use-dynamic-base-id",
                "--log-level",
                "error")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    var envoy = new Envoy(folder, address, process);
    if (!Await.within(START, () -> !process.isAlive() || isListening(address))
        || !process.isAlive()) {
      String said = Files.readString(log);
      envoy.close();
      throw new IOException("envoy did not start: " + said.strip());
    }
    return envoy;
  }

  InetSocketAddress address() {
    return address;
  }

  /** Replaces the endpoints of a cluster. */
  void endpoints(String json) throws IOException {
    writeEndpoints(folder, JsonParser.parseString(json).getAsJsonObject());
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(folder);
    } catch (IOException left) {
      throw new UncheckedIOException(left);
    }
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static boolean isListening(InetSocketAddress address) {
    try (var socket = new Socket()) {
      socket.connect(address, 1_000);
      WaitingClock.sleep(Duration.ofMillis(50));
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }

  private static JsonObject cluster(Path folder, JsonObject cluster) {
    cluster.remove("@type");
    if (cluster.has("eds_cluster_config")) {
      cluster.add(
          "eds_cluster_config",
          parsed(
              """
              {"eds_config":{"resource_api_version":"V3",
                "path_config_source":{"path":"%s"}}}"""
                  .formatted(folder.resolve(file(cluster.get("name").getAsString())))));
    }
    if (!cluster.has("cluster_type")) {
      cluster.add(
          "typed_extension_protocol_options",
          parsed(
              """
              {"%s":{"@type":"type.googleapis.com/%s",
                "explicit_http_config":{"http2_protocol_options":{}}}}"""
                  .formatted(HTTP, HTTP)));
    }
    return cluster;
  }

  /** Moved into place, which is what Envoy watches for. */
  private static void writeEndpoints(Path folder, JsonObject assignment) throws IOException {
    var response = new JsonObject();
    var resources = new JsonArray();
    resources.add(assignment);
    response.add("resources", resources);
    Path next = folder.resolve("next");
    Files.writeString(next, response.toString());
    Path file = folder.resolve(file(assignment.get("cluster_name").getAsString()));
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private static String file(String cluster) {
    return "eds-" + cluster + ".json";
  }

  private static JsonObject bootstrap(
      int port, JsonObject routes, JsonArray clusters, String... filters) {
    JsonObject bootstrap =
        parsed(
                """
                {"node":{"id":"interop","cluster":"interop"},
                 "static_resources":{"listeners":[{"name":"in","address":{"socket_address":
                   {"address":"127.0.0.1","port_value":%d}},
                   "filter_chains":[{"filters":[{"name":"http","typed_config":{
                     "@type":"type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
                     "stat_prefix":"in","codec_type":"AUTO",
                     "http_filters":[%s{"name":"router","typed_config":{
                       "@type":"type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}]}]}]}}"""
                    .formatted(
                        port,
                        Arrays.stream(filters)
                            .map(filter -> filter + ",")
                            .collect(Collectors.joining())))
            .getAsJsonObject();
    JsonObject resources = bootstrap.getAsJsonObject("static_resources");
    resources.add("clusters", clusters);
    resources
        .getAsJsonArray("listeners")
        .get(0)
        .getAsJsonObject()
        .getAsJsonArray("filter_chains")
        .get(0)
        .getAsJsonObject()
        .getAsJsonArray("filters")
        .get(0)
        .getAsJsonObject()
        .getAsJsonObject("typed_config")
        .add("route_config", routes);
    return bootstrap;
  }

  private static JsonObject parsed(String json) {
    JsonElement element = JsonParser.parseString(json);
    return element.getAsJsonObject();
  }
}
