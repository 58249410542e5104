package io.outrigger.oracle;

import static io.outrigger.oracle.Verdicts.CLUSTER;
import static io.outrigger.oracle.Verdicts.TARGET;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.xds.type.v3.TypedStruct;
import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.TextFormat;
import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext;
import io.outrigger.program.testing.mesh.MeshResources;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.ResourceType;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Which resources are accepted: {@code ACK} is by both, {@code NACK} by none, else by whom alone,
 * for a reason in docs/extend/proofs.md. In order, since a listener or cluster that is accepted may
 * end the interest in what hung on the one before.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ValidationOracleIT {
  private static Verdicts verdicts;

  @BeforeAll
  static void start() {
    verdicts = new Verdicts();
  }

  @AfterAll
  static void stop() {
    verdicts.close();
  }

  private static void check(ResourceType<?> type, Message resource, String accepted) {
    var verdict = verdicts.of(type, resource);
    boolean ours = accepted.equals("ACK") || accepted.equals("outrigger");
    boolean theirs = accepted.equals("ACK") || accepted.equals("grpc-java");

    assertThat(verdict)
        .matches(said -> said.isAccepted(ours, theirs), "is accepted by " + accepted);
  }

  private static <B extends Message.Builder> B merge(String text, B into)
      throws TextFormat.ParseException {
    TextFormat.merge(text.replace('\'', '"'), into);
    return into;
  }

  @Order(2)
  @Conformance({"A28-05", "A28-10", "A31-32", "A31-35", "A31-39"})
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "match { prefix: '/' } route { cluster: 'pay' } | ACK",
        "match { prefix: '' } route { cluster: 'pay' } | ACK",
        "match { prefix: '/' } route { cluster: 'pay' } typed_per_filter_config { key: 'envoy.filters.http.fault' value { type_url: 'type.googleapis.com/xds.type.v3.TypedStruct' value: '\\012\\062t/envoy.extensions.filters.http.fault.v3.HTTPFault' } } | outrigger",
        "match { } route { cluster: 'pay' } | NACK",
        "route { cluster: 'pay' } | NACK",
        "match { connect_matcher { } } route { cluster: 'pay' } | NACK",
        "match { safe_regex { regex: '(' } } route { cluster: 'pay' } | NACK",
        "match { safe_regex { regex: '' } } route { cluster: 'pay' } | ACK",
        "match { prefix: '/' headers { name: 'a' safe_regex_match { regex: '[' } } } route { cluster: 'pay' } | NACK",
        "match { prefix: '/' headers { name: 'a' string_match { safe_regex { regex: '[' } } } } route { cluster: 'pay' } | NACK",
        "match { prefix: '/' headers { name: 'a' } } route { cluster: 'pay' } | NACK",
        "match { prefix: '/' headers { name: 'a' string_match { } } } route { cluster: 'pay' } | NACK",
        "match { prefix: '/' headers { name: 'a' prefix_match: '' } } route { cluster: 'pay' } | grpc-java",
        "match { prefix: '/' headers { name: 'a' range_match { start: 2 end: 1 } } } route { cluster: 'pay' } | ACK",
        "match { prefix: '/' runtime_fraction { default_value { denominator: 7 } } } route { cluster: 'pay' } | NACK",
        "match { prefix: '/' query_parameters { name: 'q' } } redirect { } | ACK",
        "match { prefix: '/' } redirect { } | outrigger",
        "match { prefix: '/' } direct_response { status: 200 } | outrigger",
        "match { prefix: '/' } non_forwarding_action { } | ACK",
        "match { prefix: '/' } | outrigger",
        "match { prefix: '/' } route { } | ACK",
        "match { prefix: '/' } route { cluster_header: 'x' } | ACK",
        "match { prefix: '/' } route { weighted_clusters { } } | NACK",
        "match { prefix: '/' } route { weighted_clusters { clusters { name: 'pay' weight { } } } } | NACK",
        "match { prefix: '/' } route { weighted_clusters { clusters { name: 'pay' } clusters { name: 'pay' weight { value: 1 } } } } | ACK",
        "match { prefix: '/' } route { weighted_clusters { clusters { name: 'pay' weight { value: 4294967295 } } clusters { name: 'pay' weight { value: 1 } } } } | NACK",
        "match { prefix: '/' } route { cluster: 'pay' max_stream_duration { max_stream_duration { seconds: 315576000000 } } } | outrigger",
        "match { prefix: '/' } route { cluster: 'pay' max_stream_duration { max_stream_duration { seconds: -1 } } } | grpc-java",
        "match { prefix: '/' } route { cluster: 'pay' timeout { seconds: -1 } } | grpc-java",
        "match { prefix: '/' } route { cluster: 'pay' hash_policy { header { header_name: 'x' regex_rewrite { pattern { regex: '(' } } } } } | NACK",
        "match { prefix: '/' } route { cluster: 'pay' retry_policy { num_retries { value: 0 } } } | grpc-java",
        "match { prefix: '/' } route { cluster: 'pay' retry_policy { retry_back_off { } } } | NACK",
        "match { prefix: '/' } route { cluster: 'pay' retry_policy { retry_on: 'unavailable' retry_back_off { base_interval { } } } } | NACK",
        "match { prefix: '/' } route { cluster: 'pay' retry_policy { retry_on: 'unavailable' retry_back_off { base_interval { nanos: 2 } max_interval { nanos: 1 } } } } | NACK",
        "match { prefix: '/' } route { cluster: 'pay' retry_policy { retry_on: 'unavailable' num_retries { value: 9 } retry_back_off { base_interval { nanos: 1 } } } } | ACK",
        "match { prefix: '/' } route { cluster: 'pay' retry_policy { retry_on: '5xx' } } | ACK",
      })
  void routes(String route, String accepted) throws Exception {
    var base = MeshResources.route(MeshResources.prefix("/"), CLUSTER);
    var routes =
        MeshResources.routes(List.of(MeshResources.host(TARGET, List.of(base)))).toBuilder();
    String host = "virtual_hosts { name: 'other' domains: 'other' routes { " + route + " } }";

    check(ResourceType.ROUTE, merge(host, routes).build(), accepted);
  }

  @Order(1)
  @Conformance({"A27-06", "A27-07"})
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "endpoints { locality { zone: 'b' } load_balancing_weight { value: 1 } } | ACK",
        "endpoints { load_balancing_weight { value: 1 } priority: 1 } | grpc-java",
        "endpoints { locality { region: 'test' zone: 'a' } load_balancing_weight { value: 1 } } | NACK",
        "endpoints { locality { region: 'test' zone: 'a' } load_balancing_weight { value: 1 } priority: 1 } | ACK",
        "endpoints { locality { zone: 'b' } load_balancing_weight { value: 1 } priority: 2 } | NACK",
        "endpoints { locality { zone: 'b' } priority: 2 } | ACK",
        "endpoints { locality { zone: 'b' } load_balancing_weight { value: 4294967295 } } | grpc-java",
        "endpoints { locality { zone: 'b' } load_balancing_weight { value: 1 } lb_endpoints { endpoint { address { socket_address { address: '127.0.0.1' port_value: 1 } } } } } | grpc-java",
        "endpoints { locality { zone: 'b' } load_balancing_weight { value: 1 } lb_endpoints { endpoint { address { socket_address { address: 'name' port_value: 1 } } } } } | NACK",
        "endpoints { locality { zone: 'b' } load_balancing_weight { value: 1 } lb_endpoints { endpoint { } } } | NACK",
        "endpoints { locality { zone: 'b' } load_balancing_weight { value: 1 } lb_endpoints { load_balancing_weight { } endpoint { address { socket_address { address: '127.0.0.2' port_value: 1 } } } } } | grpc-java",
        "policy { drop_overloads { category: 'c' drop_percentage { numerator: 300 } } } | ACK",
        "policy { drop_overloads { category: 'c' drop_percentage { numerator: 3 denominator: 7 } } } | NACK",
      })
  void endpoints(String text, String accepted) throws Exception {
    var assignment =
        MeshResources.assignment(CLUSTER, MeshResources.locality("a", 0, 1, 1)).toBuilder();

    check(ResourceType.ENDPOINT, merge(text, assignment).build(), accepted);
  }

  @Order(3)
  @Conformance({"A27-05", "A37-01", "A37-07"})
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "type: STATIC | NACK",
        "type: STRICT_DNS | NACK",
        "lb_policy: MAGLEV | NACK",
        "lb_policy: RANDOM | NACK",
        "lb_policy: LEAST_REQUEST | ACK",
        "lb_policy: LEAST_REQUEST least_request_lb_config { choice_count { value: 1 } } | NACK",
        "lb_policy: LEAST_REQUEST least_request_lb_config { choice_count { value: 100 } } | ACK",
        "lb_policy: RING_HASH | ACK",
        "lb_policy: RING_HASH ring_hash_lb_config { hash_function: MURMUR_HASH_2 } | NACK",
        "lb_policy: RING_HASH ring_hash_lb_config { minimum_ring_size { value: 8388609 } } | grpc-java",
        "lb_policy: RING_HASH ring_hash_lb_config { maximum_ring_size { value: 8388609 } } | grpc-java",
        "lb_policy: RING_HASH ring_hash_lb_config { minimum_ring_size { value: 0 } } | NACK",
        "lb_policy: RING_HASH ring_hash_lb_config { minimum_ring_size { value: 8 } maximum_ring_size { value: 7 } } | NACK",
        "load_balancing_policy { policies { typed_extension_config { name: 'x' typed_config { type_url: 'type.googleapis.com/envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash' value: '\\010\\001' } } } } | ACK",
        "load_balancing_policy { policies { typed_extension_config { name: 'x' typed_config { type_url: 'type.googleapis.com/envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash' } } } } | NACK",
        "load_balancing_policy { policies { typed_extension_config { name: 'x' typed_config { type_url: 'type.googleapis.com/envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest' } } } } | ACK",
        "eds_cluster_config { eds_config { path: '/x' } } | NACK",
        "eds_cluster_config { eds_config { self { } } } | ACK",
        "lrs_server { ads { } } | NACK",
        "lrs_server { self { } } | ACK",
        "transport_socket { name: 'x' typed_config { type_url: 'type.googleapis.com/x' } } | NACK",
        "outlier_detection { interval { seconds: -1 } } | NACK",
        "outlier_detection { max_ejection_percent { value: 101 } } | NACK",
        "outlier_detection { enforcing_success_rate { value: 101 } } | NACK",
        "outlier_detection { failure_percentage_threshold { value: 101 } } | NACK",
        "outlier_detection { interval { seconds: 1 } max_ejection_percent { value: 100 } } | ACK",
        "load_balancing_policy { } | NACK",
        "load_balancing_policy { policies { typed_extension_config { name: 'x' typed_config { type_url: 'type.googleapis.com/x' } } } } | NACK",
        "load_balancing_policy { policies { typed_extension_config { name: 'x' typed_config { type_url: 'type.googleapis.com/envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin' } } } } | ACK",
        "load_balancing_policy { policies { typed_extension_config { name: 'x' typed_config { type_url: 'type.googleapis.com/envoy.extensions.load_balancing_policies.random_subsetting.v3.RandomSubsetting' } } } policies { typed_extension_config { name: 'y' typed_config { type_url: 'type.googleapis.com/envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin' } } } } | grpc-java",
        "circuit_breakers { thresholds { priority: HIGH max_requests { value: 1 } } } | ACK",
        "cluster_type { typed_config { type_url: 'type.googleapis.com/envoy.extensions.clusters.dns.v3.DnsCluster' value: '\\110\\001' } } load_assignment { endpoints { lb_endpoints { endpoint { address { socket_address { address: 'localhost' port_value: 1 } } } } } } | outrigger",
        "cluster_type { name: 'x' typed_config { type_url: 'type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig' value: '\\012\\001b' } } | outrigger",
        "transport_socket { name: 'x' typed_config { type_url: 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext' value: '\\012\\012\\032\\010\\152\\006\\012\\004mesh' } } | outrigger",
        "type: LOGICAL_DNS | NACK",
        "type: LOGICAL_DNS load_assignment { endpoints { lb_endpoints { endpoint { address { socket_address { address: 'localhost' port_value: 1 } } } } lb_endpoints { endpoint { address { socket_address { address: 'localhost' port_value: 1 } } } } } } | NACK",
        "type: LOGICAL_DNS load_assignment { endpoints { lb_endpoints { endpoint { address { socket_address { address: 'localhost' port_value: 1 resolver_name: 'x' } } } } } } | NACK",
        "type: LOGICAL_DNS load_assignment { endpoints { lb_endpoints { endpoint { address { socket_address { address: 'localhost' port_value: 1 } } } } } } | ACK",
      })
  void clusters(String text, String accepted) throws Exception {
    var cluster = MeshResources.cluster(CLUSTER).toBuilder();

    check(ResourceType.CLUSTER, merge(text, cluster).build(), accepted);
  }

  /** In the form of a service config, within a TypedStruct. */
  @Order(3)
  @Conformance({"A68-01", "A52-02"})
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "subsetSize: 3, childPolicy: [{round_robin: {}}] | ACK",
        "subsetSize: 4294967295, childPolicy: [{round_robin: {}}] | ACK",
        "subsetSize: 4294967296, childPolicy: [{round_robin: {}}] | grpc-java",
        "subsetSize: '3', childPolicy: [{round_robin: {}}] | ACK",
        "subsetSize: 3, childPolicy: [{xyz: {}}, {least_request_experimental: {}}] | ACK",
        "subsetSize: 3, childPolicy: [{random_subsetting_experimental: {subsetSize: 2, childPolicy: [{pick_first: {}}]}}] | ACK",
        "subsetSize: 3, childPolicy: [{wrr_locality_experimental: {childPolicy: [{round_robin: {}}]}}] | ACK",
        "subsetSize: 3, childPolicy: [{ring_hash_experimental: {minRingSize: 9, maxRingSize: 8}}] | NACK",
        "subsetSize: 3, childPolicy: [{random_subsetting_experimental: {subsetSize: 0, childPolicy: [{pick_first: {}}]}}] | NACK",
        "subsetSize: 0, childPolicy: [{round_robin: {}}] | NACK",
        "subsetSize: -1, childPolicy: [{round_robin: {}}] | NACK",
        "subsetSize: 1.5, childPolicy: [{round_robin: {}}] | NACK",
        "subsetSize: 'x', childPolicy: [{round_robin: {}}] | NACK",
        "subset_size: 3, child_policy: [{round_robin: {}}] | NACK",
        "childPolicy: [{round_robin: {}}] | NACK",
        "subsetSize: 3 | NACK",
        "subsetSize: 3, childPolicy: [] | NACK",
        "subsetSize: 3, childPolicy: {} | NACK",
        "subsetSize: 3, childPolicy: [1] | NACK",
        "subsetSize: 3, childPolicy: [{xyz: {}}] | NACK",
        "subsetSize: 3, childPolicy: [{round_robin: {}, pick_first: {}}] | NACK",
        "subsetSize: 3, childPolicy: [{round_robin: null}] | NACK",
      })
  void randomSubsetting(String config, String accepted) throws Exception {
    var settings = Struct.newBuilder();
    JsonFormat.parser().merge("{" + config + "}", settings);
    var named =
        TypedStruct.newBuilder()
            .setTypeUrl("type.googleapis.com/random_subsetting_experimental")
            .setValue(settings);
    var cluster = MeshResources.cluster(CLUSTER).toBuilder();
    cluster
        .getLoadBalancingPolicyBuilder()
        .addPoliciesBuilder()
        .getTypedExtensionConfigBuilder()
        .setName("subset")
        .setTypedConfig(Any.pack(named.build()));

    check(ResourceType.CLUSTER, cluster.build(), accepted);
  }

  @Order(4)
  @Conformance({"A29-02", "A29-10", "A101-01"})
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        " | NACK",
        "common_tls_context { } | NACK",
        "common_tls_context { validation_context { ROOTS } } | ACK",
        "common_tls_context { validation_context { ca_certificate_provider_instance { instance_name: 'lost' } } } | NACK",
        "common_tls_context { validation_context { ca_certificate_provider_instance { } } } | NACK",
        "common_tls_context { validation_context { trusted_ca { filename: '/r' } } } | NACK",
        "common_tls_context { validation_context { system_root_certs { } } } | ACK",
        "common_tls_context { validation_context_sds_secret_config { name: 'x' } } | NACK",
        "common_tls_context { combined_validation_context { default_validation_context { ROOTS } } } | ACK",
        "common_tls_context { combined_validation_context { default_validation_context { } validation_context_certificate_provider_instance { instance_name: 'mesh' } } } | ACK",
        "common_tls_context { combined_validation_context { default_validation_context { ROOTS } validation_context_certificate_provider_instance { instance_name: 'lost' } } } | ACK",
        "common_tls_context { tls_certificate_provider_instance { instance_name: 'mesh' certificate_name: 'x' } validation_context { ROOTS } } | ACK",
        "common_tls_context { tls_certificate_provider_instance { instance_name: 'lost' } validation_context { ROOTS } } | NACK",
        "common_tls_context { tls_certificate_provider_instance { instance_name: 'mesh' } tls_certificate_certificate_provider_instance { instance_name: 'lost' } validation_context { ROOTS } } | ACK",
        "common_tls_context { tls_certificates { } validation_context { ROOTS } } | NACK",
        "common_tls_context { tls_certificate_sds_secret_configs { } validation_context { ROOTS } } | NACK",
        "common_tls_context { tls_params { } validation_context { ROOTS } } | NACK",
        "common_tls_context { custom_handshaker { } validation_context { ROOTS } } | NACK",
        "common_tls_context { validation_context { ROOTS verify_certificate_spki: 'x' } } | NACK",
        "common_tls_context { validation_context { ROOTS verify_certificate_hash: 'x' } } | NACK",
        "common_tls_context { validation_context { ROOTS require_signed_certificate_timestamp { } } } | NACK",
        "common_tls_context { validation_context { ROOTS crl { } } } | NACK",
        "common_tls_context { validation_context { ROOTS custom_validator_config { } } } | NACK",
        "common_tls_context { validation_context { ROOTS match_subject_alt_names { exact: 'a' } } } | ACK",
        "sni: 'a' auto_host_sni: true auto_sni_san_validation: true allow_renegotiation: true common_tls_context { alpn_protocols: 'h2' validation_context { ROOTS } } | ACK",
      })
  void tls(String text, String accepted) throws Exception {
    String roots = "ca_certificate_provider_instance { instance_name: 'mesh' }";
    var tls = UpstreamTlsContext.newBuilder();
    merge(text == null ? "" : text.replace("ROOTS", roots), tls);
    var cluster = MeshResources.cluster(CLUSTER).toBuilder();
    cluster
        .getTransportSocketBuilder()
        .setName("envoy.transport_sockets.tls")
        .setTypedConfig(Any.pack(tls.build()));

    check(ResourceType.CLUSTER, cluster.build(), accepted);
  }

  @Order(5)
  @Conformance("A27-04")
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "xff_num_trusted_hops: 1 | NACK",
        "original_ip_detection_extensions { name: 'x' } | NACK",
        "http_filters { name: 'late' typed_config { type_url: 'type.googleapis.com/x' } } | NACK",
        "http_filters { name: 'envoy.filters.http.router' typed_config { type_url: 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' } } | NACK",
        "rds { config_source { path: '/x' } } | NACK",
        "rds { config_source { self { } } } | ACK",
        "common_http_protocol_options { max_stream_duration { seconds: -1 } } | grpc-java",
        "common_http_protocol_options { max_stream_duration { seconds: 1 } } | ACK",
      })
  void listeners(String text, String accepted) throws Exception {
    Listener base = MeshResources.listener(TARGET);
    var manager = merge(text, manager(base).toBuilder());
    var listener = base.toBuilder();
    listener.getApiListenerBuilder().setApiListener(Any.pack(manager.build()));

    check(ResourceType.LISTENER, listener.build(), accepted);
  }

  private static HttpConnectionManager manager(Listener listener)
      throws InvalidProtocolBufferException {
    return listener.getApiListener().getApiListener().unpack(HttpConnectionManager.class);
  }
}
