package io.outrigger.abuse;

/** Resources of a service with one backend, for a file. */
final class StaticService {
  private StaticService() {}

  /** Entries of the list {@code resources}: the service {@code name}, without limits of its own. */
  static String yaml(String name, int port) {
    return """
      - "@type": type.googleapis.com/envoy.config.listener.v3.Listener
        name: NAME
        api_listener:
          api_listener:
            "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
            route_config:
              virtual_hosts:
              - name: all
                domains: ["*"]
                routes:
                - match: {prefix: ""}
                  route: {cluster: NAME, timeout: 0s}
            http_filters:
            - name: router
              typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
      - "@type": type.googleapis.com/envoy.config.cluster.v3.Cluster
        name: NAME
        type: EDS
        eds_cluster_config: {eds_config: {ads: {}}}
        circuit_breakers: {thresholds: [{max_requests: 1000000}]}
      - "@type": type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment
        cluster_name: NAME
        endpoints:
        - locality: {region: local}
          load_balancing_weight: 1
          lb_endpoints:
          - endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: PORT}}}
      """
        .replace("NAME", name)
        .replace("PORT", Integer.toString(port));
  }
}
