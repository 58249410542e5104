package io.outrigger.endtoend;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A real Envoy that has the resources which a control plane would give Outrigger, from files. What
 * differs is only where they come from, a socket for its listener, and HTTP/2 to backends, which
 * gRPC's clients take for granted.
 */
final class Envoy implements AutoCloseable {
  private static final String CLUSTER = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
  private static final String HTTP = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

  private final RealServer server;

  private Envoy(RealServer server) {
    this.server = server;
  }

  /**
   * Starts {@code binary} and waits until it listens.
   *
   * @param resources routes, clusters and endpoints; the routes are all that the listener has
   * @param filters that stand before the router
   */
  static Envoy start(Path binary, List<String> resources, String... filters) throws IOException {
    return start(binary, "", "", resources, filters);
  }

  /**
   * The same with settings of connections of callers.
   *
   * @param connections a member of {@code common_http_protocol_options} in JSON, or empty text
   * @param socket the {@code transport_socket} in JSON, or empty text for plain text
   */
  static Envoy start(
      Path binary, String connections, String socket, List<String> resources, String... filters)
      throws IOException {
    return new Envoy(
        RealServer.start(
            (folder, port) -> {
              Path config = folder.resolve("envoy.json");
              String bootstrap =
                  bootstrap(folder, port, connections, socket, resources, filters).toString();
              Files.writeString(config, bootstrap);
              return List.of(
                  binary.toString(),
                  "-c",
                  config.toString(),
                  "--concurrency",
                  "1",
                  "--use-dynamic-base-id",
                  "--log-level",
                  "error");
            }));
  }

  InetSocketAddress address() {
    return server.address();
  }

  /** Replaces the endpoints of a cluster. */
  void endpoints(String json) throws IOException {
    writeEndpoints(server.folder(), JsonParser.parseString(json).getAsJsonObject());
  }

  @Override
  public void close() {
    server.close();
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
      Path folder,
      int port,
      String connections,
      String socket,
      List<String> resources,
      String... filters)
      throws IOException {
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
    JsonObject bootstrap =
        parsed(
                """
                {"node":{"id":"interop","cluster":"interop"},
                 "static_resources":{"listeners":[{"name":"in","address":{"socket_address":
                   {"address":"127.0.0.1","port_value":%d}},
                   "filter_chains":[{"filters":[{"name":"http","typed_config":{
                     "@type":"type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
                     "stat_prefix":"in","codec_type":"AUTO",
                     "common_http_protocol_options":{%s},
                     "http_filters":[%s{"name":"router","typed_config":{
                       "@type":"type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}]}]}]}}"""
                    .formatted(
                        port,
                        connections,
                        Arrays.stream(filters)
                            .map(filter -> filter + ",")
                            .collect(Collectors.joining())))
            .getAsJsonObject();
    JsonObject parts = bootstrap.getAsJsonObject("static_resources");
    parts.add("clusters", clusters);
    JsonObject chain =
        first(first(parts.getAsJsonArray("listeners")).getAsJsonArray("filter_chains"));
    first(chain.getAsJsonArray("filters"))
        .getAsJsonObject("typed_config")
        .add("route_config", routes);
    if (!socket.isEmpty()) {
      chain.add("transport_socket", parsed(socket));
    }
    return bootstrap;
  }

  private static JsonObject first(JsonArray array) {
    return array.get(0).getAsJsonObject();
  }

  private static JsonObject parsed(String json) {
    JsonElement element = JsonParser.parseString(json);
    return element.getAsJsonObject();
  }
}
