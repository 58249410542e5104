package io.outrigger.xds.testing;

import com.google.protobuf.Any;
import io.outrigger.xds.decode.ResourceJson;

/** Resources as JSON in few words, real enough for the decoders. */
public final class JsonResources {
  private JsonResources() {}

  /** The message that {@code json} spells. */
  public static Any any(String json) {
    var document = ResourceJson.parse("{\"resources\":[" + json + "]}");
    if (!document.errors().isEmpty()) {
      throw new AssertionError(document.errors());
    }
    return document.resources().get(0);
  }

  /** A listener whose inline routes lead to {@code cluster}. */
  public static String listener(String name, String cluster) {
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

  /** The same with routes from an RDS resource. */
  public static String dynamicListener(String name, String routes) {
    return """
        {"@type":"type.googleapis.com/envoy.config.listener.v3.Listener","name":"%s",
         "api_listener":{"api_listener":{
           "@type":"type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
           "rds":{"config_source":{"ads":{}},"route_config_name":"%s"},
           "http_filters":[{"name":"router","typed_config":{
             "@type":"type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}}"""
        .formatted(name, routes);
  }

  /** Routes to {@code cluster}. */
  public static String routes(String name, String cluster) {
    return """
        {"@type":"type.googleapis.com/envoy.config.route.v3.RouteConfiguration","name":"%s",
         "virtual_hosts":[{"name":"all","domains":["*"],
           "routes":[{"match":{"prefix":""},"route":{"cluster":"%s"}}]}]}"""
        .formatted(name, cluster);
  }

  /** A listener of a server, not for clients: it has an address. */
  public static String socketListener(String name) {
    return """
        {"@type":"type.googleapis.com/envoy.config.listener.v3.Listener","name":"%s",
         "address":{"socket_address":{"address":"0.0.0.0","port_value":80}},
         "filter_chains":[{"filters":[{"name":"manager","typed_config":{
           "@type":"type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
           "rds":{"config_source":{"ads":{}},"route_config_name":"inbound"},
           "http_filters":[{"name":"router","typed_config":{
             "@type":"type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}]}]}"""
        .formatted(name);
  }

  /** An aggregate cluster. */
  public static String aggregate(String name, String... clusters) {
    return """
        {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"%s",
         "cluster_type":{"name":"aggregate","typed_config":{
           "@type":"type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig",
           "clusters":["%s"]}}}"""
        .formatted(name, String.join("\",\"", clusters));
  }

  /** An EDS cluster. */
  public static String cluster(String name) {
    return """
        {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"%s","type":"EDS",
         "eds_cluster_config":{"eds_config":{"ads":{}}}}"""
        .formatted(name);
  }

  /** An EDS cluster that the decoder refuses. */
  public static String badCluster(String name) {
    return """
        {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"%s","type":"STATIC"}"""
        .formatted(name);
  }

  /** One endpoint. */
  public static String endpoints(String name, String ip) {
    return """
        {"@type":"type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
         "cluster_name":"%s","endpoints":[{"locality":{"region":"r"},"load_balancing_weight":1,
         "lb_endpoints":[{"endpoint":{"address":{"socket_address":
           {"address":"%s","port_value":80}}}}]}]}"""
        .formatted(name, ip);
  }
}
