package io.outrigger.abuse;

/** Resources of a service with one backend, for a file. */
final class StaticService {
  private StaticService() {}

  private static final String TLS =
      """
          transport_socket:
            name: envoy.transport_sockets.tls
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
              require_client_certificate: true
              common_tls_context:
                tls_certificate_provider_instance: {instance_name: default}
                validation_context:
                  ca_certificate_provider_instance: {instance_name: default}
      """;

  private static final String RBAC =
      """
              - name: rbac
                typed_config:
                  "@type": type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC
                  rules:
                    action: ALLOW
                    policies:
                      callers:
                        permissions: [{any: true}]
                        principals: [{authenticated: {principal_name: {exact: "spiffe://mesh/caller"}}}]
      """;

  /**
   * The Listener of a served address: all requests reach the app, with {@code isSecured} those of
   * the mesh's caller.
   */
  static String served(int port, boolean isSecured) {
    return """
      - "@type": type.googleapis.com/envoy.config.listener.v3.Listener
        name: "inbound PORT"
        address: {socket_address: {address: 127.0.0.1, port_value: PORT}}
        filter_chains:
        - name: in
      TLS    filters:
          - name: http
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
              route_config:
                name: all
                virtual_hosts:
                - name: all
                  domains: ["*"]
                  routes:
                  - match: {prefix: "/"}
                    non_forwarding_action: {}
              http_filters:
      RBAC        - name: router
                typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
      """
        .replace("TLS", isSecured ? TLS : "")
        .replace("RBAC", isSecured ? RBAC : "")
        .replace("PORT", Integer.toString(port));
  }

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
