package io.outrigger.xds.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder of resource files for tests, and resources as JSON in few words. */
final class ResourceFolder {
  final Path path;

  ResourceFolder(Path path) {
    this.path = path;
  }

  /** Writes a file of these resources. */
  ResourceFolder write(String file, String... resources) {
    return writeText(file, "{\"resources\":[" + String.join(",", resources) + "]}");
  }

  ResourceFolder writeText(String file, String text) {
    try {
      Files.writeString(path.resolve(file), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  ResourceFolder delete(String file) {
    try {
      Files.delete(path.resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /** A listener whose inline routes lead to {@code cluster}. */
  static String listener(String name, String cluster) {
    return """
        {"@type":"type.googleapis.com/envoy.config.listener.v3.Listener","name":"%s",
         "api_listener":{"api_listener":{
           "@type":"type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
           "route_config":{"name":"inline","virtual_hosts":[{"name":"all","domains":["*"],
             "routes":[{"match":{"prefix":""},"route":{"cluster":"%s"}}]}]},
           "http_filters":[{"name":"router","typed_config":{
             "@type":"type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}}"""
        .formatted(name, cluster);
  }

  /** An EDS cluster. */
  static String cluster(String name) {
    return """
        {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"%s","type":"EDS",
         "eds_cluster_config":{"eds_config":{"ads":{}}}}"""
        .formatted(name);
  }

  /** An EDS cluster that the decoder refuses. */
  static String badCluster(String name) {
    return """
        {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"%s","type":"STATIC"}"""
        .formatted(name);
  }

  /** One endpoint. */
  static String endpoints(String name, String ip) {
    return """
        {"@type":"type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
         "cluster_name":"%s","endpoints":[{"locality":{"region":"r"},"load_balancing_weight":1,
         "lb_endpoints":[{"endpoint":{"address":{"socket_address":
           {"address":"%s","port_value":80}}}}]}]}"""
        .formatted(name, ip);
  }
}
