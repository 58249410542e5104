package io.outrigger.endtoend;

import io.outrigger.xds.testing.JsonResources;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Resources as JSON, as far as tests of the whole product vary them. */
final class Xds {
  private Xds() {}

  /** A listener with routes from RDS. */
  static String listener(String name, String routes) {
    return JsonResources.dynamicListener(name, routes);
  }

  /** A listener with its routes inside, everything to {@code cluster} without a time limit. */
  static String inlineListener(String name, String cluster) {
    String route = "\"route\":{";
    return JsonResources.listener(name, cluster).replace(route, route + "\"timeout\":\"0s\",");
  }

  /** A listener with routes from RDS whose requests have sessions, kept by this cookie. */
  static String sessionListener(String name, String routes, String cookie) {
    return filteredListener(name, routes, sessionFilter("{\"name\":\"%s\"}".formatted(cookie)));
  }

  /** A listener with routes from RDS and one filter before the router. */
  static String filteredListener(String name, String routes, String filter) {
    String router = "{\"name\":\"router\"";
    return listener(name, routes).replace(router, filter + "," + router);
  }

  /**
   * A listener for a server with one filter chain.
   *
   * @param routes {@link #rds} or {@code "route_config":{…}}
   */
  static String serverListener(String name, String ip, int port, String routes) {
    return """
        {"@type":"type.googleapis.com/envoy.config.listener.v3.Listener","name":"%s",
         "address":{"socket_address":{"address":"%s","port_value":%d}},
         "filter_chains":[{"name":"in","filters":[{"name":"hcm","typed_config":{
           "@type":"type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
           %s,
           "http_filters":[{"name":"router","typed_config":{
             "@type":"type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}]}]}"""
        .formatted(name, ip, port, routes);
  }

  /** The member of a connection manager that names a route configuration. */
  static String rds(String routes) {
    return "\"rds\":{\"route_config_name\":\"%s\",\"config_source\":{\"ads\":{}}}"
        .formatted(routes);
  }

  /** Routes of a server: requests whose paths begin so reach the app. */
  static String servedRoutes(String name, String prefix) {
    return routes(
        name,
        host(
            "*", "{\"match\":{\"prefix\":\"%s\"},\"non_forwarding_action\":{}}".formatted(prefix)));
  }

  /** The filter of sessions, which a cookie of these settings keeps. */
  static String sessionFilter(String cookie) {
    return """
        {"name":"session","typed_config":{
          "@type":"type.googleapis.com/envoy.extensions.filters.http.stateful_session.v3.StatefulSession",
          "session_state":{"name":"envoy.http.stateful_session.cookie","typed_config":{
            "@type":"type.googleapis.com/envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState",
            "cookie":%s}}}}"""
        .formatted(cookie);
  }

  /**
   * An EDS cluster whose connections for sessions end when unused for {@code idleTimeout}.
   *
   * @param statuses the health of endpoints that sessions may reach
   */
  static String sessionCluster(String name, String idleTimeout, String... statuses) {
    return """
        {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"%s","type":"EDS",
         "eds_cluster_config":{"eds_config":{"ads":{}}},
         "common_lb_config":{"override_host_status":{"statuses":["%s"]}},
         "typed_extension_protocol_options":{
           "envoy.extensions.upstreams.http.v3.HttpProtocolOptions":{
             "@type":"type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
             "common_http_protocol_options":{"idle_timeout":"%s"},
             "explicit_http_config":{"http2_protocol_options":{}}}}}"""
        .formatted(name, String.join("\",\"", statuses), idleTimeout);
  }

  /** The same locality with its endpoints in another health. */
  static String in(String health, String locality) {
    return locality.replace("\"HEALTHY\"", '"' + health + '"');
  }

  /** Routes; each virtual host as {@link #host} gives it. */
  static String routes(String name, String... hosts) {
    return """
        {"@type":"type.googleapis.com/envoy.config.route.v3.RouteConfiguration","name":"%s",
         "virtual_hosts":[%s]}"""
        .formatted(name, String.join(",", hosts));
  }

  static String host(String domain, String... routes) {
    return """
        {"name":"%s","domains":["%s"],"routes":[%s]}"""
        .formatted(domain, domain, String.join(",", routes));
  }

  /** A route of a path prefix to a cluster, without a time limit. */
  static String route(String prefix, String cluster) {
    return """
        {"match":{"prefix":"%s"},"route":{"cluster":"%s","timeout":"0s"}}"""
        .formatted(prefix, cluster);
  }

  /** A route of a path prefix with any action. */
  static String routeTo(String prefix, String action) {
    return """
        {"match":{"prefix":"%s"},"route":%s}"""
        .formatted(prefix, action);
  }

  /** One virtual host for everything with one route. */
  static String routesTo(String name, String cluster) {
    return routes(name, host("*", route("", cluster)));
  }

  static String cluster(String name) {
    return JsonResources.cluster(name);
  }

  /**
   * An EDS cluster that is reached by mutual TLS, with identity and roots of the certificate
   * provider {@code default}.
   *
   * @param matchers of {@code match_typed_subject_alt_names}
   */
  static String secureCluster(String name, String matchers) {
    String cluster = cluster(name);
    return cluster.substring(0, cluster.lastIndexOf('}'))
        + """
        ,"transport_socket":{"name":"envoy.transport_sockets.tls","typed_config":{"@type":
          "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
          "common_tls_context":{
            "tls_certificate_provider_instance":{"instance_name":"default"},
            "validation_context":{"ca_certificate_provider_instance":{"instance_name":"default"},
              "match_typed_subject_alt_names":[%s]}}}}}"""
            .formatted(matchers);
  }

  /** A matcher of one URI SAN. */
  static String uri(String exact) {
    return "{\"san_type\":\"URI\",\"matcher\":{\"exact\":\"%s\"}}".formatted(exact);
  }

  /** An EDS cluster with a limit of requests in flight. */
  static String cluster(String name, int maxRequests) {
    return """
        {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"%s","type":"EDS",
         "eds_cluster_config":{"eds_config":{"ads":{}}},
         "circuit_breakers":{"thresholds":[{"priority":"DEFAULT","max_requests":%d}]}}"""
        .formatted(name, maxRequests);
  }

  /** An EDS cluster with these members of {@code outlier_detection}. */
  static String watchedCluster(String name, String detection) {
    return """
        {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"%s","type":"EDS",
         "eds_cluster_config":{"eds_config":{"ads":{}}},"outlier_detection":{%s}}"""
        .formatted(name, detection);
  }

  /**
   * An EDS cluster whose load is to be reported, and which takes {@code maxRequests} at a time.
   *
   * @param metrics of {@code lrs_report_endpoint_metrics}
   */
  static String reportedCluster(String name, int maxRequests, String... metrics) {
    return """
        {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"%s","type":"EDS",
         "eds_cluster_config":{"eds_config":{"ads":{}},"service_name":"%s-eds"},
         "circuit_breakers":{"thresholds":[{"priority":"DEFAULT","max_requests":%d}]},
         "lrs_server":{"self":{}},"lrs_report_endpoint_metrics":[%s]}"""
        .formatted(
            name,
            name,
            maxRequests,
            Stream.of(metrics).map("\"%s\""::formatted).collect(Collectors.joining(",")));
  }

  /**
   * An EDS cluster with an {@code lb_policy} and no limit that a slow machine could reach; {@code
   * PICK_FIRST} is a policy of its own.
   */
  static String cluster(String name, String policy) {
    String chosen =
        policy.equals("PICK_FIRST")
            ? """
            "load_balancing_policy":{"policies":[{"typed_extension_config":{"name":"pf",
              "typed_config":{"@type":"type.googleapis.com/envoy.extensions.load_balancing_policies\
            .pick_first.v3.PickFirst"}}}]}"""
            : "\"lb_policy\":\"%s\"".formatted(policy);
    return """
        {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"%s","type":"EDS",
         "eds_cluster_config":{"eds_config":{"ads":{}}},%s,
         "circuit_breakers":{"thresholds":[{"priority":"DEFAULT","max_requests":1000000}]}}"""
        .formatted(name, chosen);
  }

  /** A cluster that is one host name. */
  static String dns(String name, String host, int port) {
    return """
        {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"%s",
         "type":"LOGICAL_DNS","load_assignment":{"endpoints":[{"lb_endpoints":[{"endpoint":
           {"address":{"socket_address":{"address":"%s","port_value":%d}}}}]}]}}"""
        .formatted(name, host, port);
  }

  /** Endpoints; each locality as {@link #locality} gives it. */
  static String endpoints(String cluster, String... localities) {
    return endpointsDropping(cluster, "", localities);
  }

  /** Endpoints of one locality. */
  static String endpoints(String cluster, Backend... backends) {
    return endpoints(cluster, locality("a", 0, 1, backends));
  }

  /**
   * Endpoints with drops.
   *
   * @param drops members of {@code drop_overloads}
   */
  static String endpointsDropping(String cluster, String drops, String... localities) {
    return """
        {"@type":"type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
         "cluster_name":"%s","endpoints":[%s],"policy":{"drop_overloads":[%s]}}"""
        .formatted(cluster, String.join(",", localities), drops);
  }

  /** A locality {@code r/ZONE/s}. */
  static String locality(String zone, int priority, int weight, Backend... backends) {
    List<Integer> ports = Stream.of(backends).map(Backend::port).toList();
    return locality(zone, priority, weight, ports);
  }

  static String locality(String zone, int priority, int weight, List<Integer> ports) {
    return """
        {"locality":{"region":"r","zone":"%s","sub_zone":"s"},"priority":%d,
         "load_balancing_weight":%d,"lb_endpoints":[%s]}"""
        .formatted(
            zone,
            priority,
            weight,
            ports.stream().map(Xds::endpoint).collect(Collectors.joining(",")));
  }

  private static String endpoint(int port) {
    return """
        {"endpoint":{"address":{"socket_address":{"address":"127.0.0.1","port_value":%d}}},
         "health_status":"HEALTHY"}"""
        .formatted(port);
  }
}
