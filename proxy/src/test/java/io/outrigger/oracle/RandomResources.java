package io.outrigger.oracle;

import com.github.xds.type.v3.TypedStruct;
import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.TextFormat;
import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext;
import io.outrigger.program.testing.mesh.MeshResources;
import java.util.List;
import java.util.Random;

/** Resources as nobody in his senses sends them: every part may be there, in every form. */
final class RandomResources {
  static final String CLUSTER = "a";

  private static final List<String> INSTANCES =
      List.of("mesh", "mesh", "mesh", "mesh", "lost", "strange", "");

  private static final List<String> MATCHERS =
      List.of(
          "exact: 'x'",
          "exact: ''",
          "prefix: 'x'",
          "prefix: ''",
          "suffix: 'x' ignore_case: true",
          "contains: 'x'",
          "contains: ''",
          "safe_regex { regex: 'x.*' }",
          "safe_regex { regex: '(' }",
          "");

  private static final List<String> MATCHES =
      List.of(
          "prefix: '/'",
          "prefix: '/'",
          "path: '/pkg.Svc/a'",
          "safe_regex { regex: '(' }",
          "connect_matcher { }",
          "prefix: '/' query_parameters { name: 'q' }");

  private static final List<String> PLUGIN_TYPES =
      List.of("pkg.Plugin", "pkg.Plugin", "pkg.Other", "", "grpc.lookup.v1.RouteLookupConfig");

  private static final List<String> SIZES =
      List.of("1", "3", "'3'", "0", "-1", "1.5", "4294967295", "4294967296", "'x'", "null", "true");

  private static final List<String> CHILDREN =
      List.of(
          "[{round_robin: {}}]",
          "[{round_robin: {}}]",
          "[{round_robin: {}}]",
          "[{xyz: {}}, {round_robin: {}}]",
          "[{xyz: {}}]",
          "[{least_request_experimental: {choiceCount: 3}}]",
          "[{least_request_experimental: {choiceCount: 1}}]",
          "[{ring_hash_experimental: {minRingSize: 9, maxRingSize: 8}}]",
          "[{pick_first: {shuffleAddressList: true}}]",
          "[{pick_first: {shuffleAddressList: 1}}]",
          "[{wrr_locality_experimental: {childPolicy: [{round_robin: {}}]}}]",
          "[{wrr_locality_experimental: {}}]",
          "[{weighted_round_robin: {}}]",
          "[{round_robin: {}, pick_first: {}}]",
          "[{}]",
          "[]",
          "{}",
          "'x'",
          "null",
          "[1]",
          "[{round_robin: null}]",
          "[{round_robin: []}]");

  private final Random random;

  RandomResources(Random random) {
    this.random = random;
  }

  /** A cluster with TLS. */
  Message tls() {
    var cluster = MeshResources.cluster(CLUSTER).toBuilder();
    cluster
        .getTransportSocketBuilder()
        .setName("envoy.transport_sockets.tls")
        .setTypedConfig(Any.pack(merge(upstreamTls(), UpstreamTlsContext.newBuilder()).build()));
    return cluster.build();
  }

  private String upstreamTls() {
    return maybe(20, "sni: '" + pick(List.of("a.test", "a".repeat(255), "a".repeat(256))) + "'")
        + maybe(10, "auto_host_sni: true")
        + maybe(10, "auto_sni_san_validation: true")
        + maybe(10, "allow_renegotiation: true")
        + maybe(5, "max_session_keys { value: 3 }")
        + maybe(5, "enforce_rsa_key_usage { value: true }")
        + maybe(95, "common_tls_context { " + common() + " }");
  }

  private String common() {
    return maybe(3, "tls_params { }")
        + maybe(3, "custom_handshaker { name: 'x' }")
        + maybe(3, "custom_tls_certificate_selector { name: 'x' }")
        + maybe(3, "key_log { }")
        + maybe(10, "alpn_protocols: 'h2'")
        + maybe(3, "tls_certificates { }")
        + maybe(3, "tls_certificate_sds_secret_configs { name: 'x' }")
        + maybe(25, instance("tls_certificate_provider_instance"))
        + maybe(15, instance("tls_certificate_certificate_provider_instance"))
        + maybe(3, "tls_certificate_certificate_provider { name: 'x' }")
        + validation();
  }

  private String validation() {
    return switch (random.nextInt(14)) {
      case 0 -> "";
      case 1 -> "validation_context_sds_secret_config { name: 'x' }";
      case 2 -> "validation_context_certificate_provider { name: 'x' }";
      case 3 -> instance("validation_context_certificate_provider_instance");
      case 4, 5, 6, 7 ->
          "combined_validation_context { "
              + maybe(85, "default_validation_context { " + context() + " }")
              + maybe(30, instance("validation_context_certificate_provider_instance"))
              + maybe(5, "validation_context_sds_secret_config { name: 'x' }")
              + maybe(5, "validation_context_certificate_provider { name: 'x' }")
              + " }";
      default -> "validation_context { " + context() + " }";
    };
  }

  private String context() {
    return maybe(70, instance("ca_certificate_provider_instance"))
        + maybe(20, "system_root_certs { }")
        + maybe(5, "trusted_ca { filename: '/r' }")
        + maybe(3, "verify_certificate_spki: 'x'")
        + maybe(3, "verify_certificate_hash: 'x'")
        + maybe(3, "require_signed_certificate_timestamp { value: false }")
        + maybe(3, "crl { filename: '/x' }")
        + maybe(3, "custom_validator_config { name: 'x' }")
        + maybe(5, "max_verify_depth { value: 1 }")
        + maybe(5, "allow_expired_certificate: true")
        + maybe(5, "trust_chain_verification: ACCEPT_UNTRUSTED")
        + maybe(5, "watched_directory { path: '/x' }")
        + maybe(15, "match_subject_alt_names { " + pick(MATCHERS) + " }")
        + maybe(5, "match_subject_alt_names { " + pick(MATCHERS) + " }")
        + maybe(15, "match_typed_subject_alt_names { " + typedName() + " }");
  }

  private String typedName() {
    return "san_type: "
        + pick(List.of("DNS", "URI", "EMAIL", "IP_ADDRESS", "OTHER_NAME", "SAN_TYPE_UNSPECIFIED"))
        + " matcher { "
        + pick(MATCHERS)
        + " }";
  }

  private String instance(String field) {
    return field
        + " { instance_name: '"
        + pick(INSTANCES)
        + "' "
        + maybe(30, "certificate_name: 'x'")
        + "}";
  }

  /** Routes, some of them to cluster specifiers. */
  Message routes() {
    var text = new StringBuilder();
    for (int i = random.nextInt(4); i > 0; i--) {
      text.append("cluster_specifier_plugins { extension { name: '")
          .append(plugin())
          .append("' ")
          .append(maybe(95, "typed_config { type_url: '" + typeUrl() + "' }"))
          .append("} ")
          .append(maybe(60, "is_optional: true"))
          .append("} ");
    }
    text.append("virtual_hosts { name: 'h' domains: '").append(TrafficClient.TARGET).append("' ");
    for (int i = random.nextInt(4); i > 0; i--) {
      text.append("routes { match { ")
          .append(pick(MATCHES))
          .append(" } route { ")
          .append(
              random.nextInt(3) == 0
                  ? "cluster: 'a' "
                  : "cluster_specifier_plugin: '" + plugin() + "' ")
          .append(maybe(5, "retry_policy { retry_back_off { } }"))
          .append(maybe(5, "hash_policy { header { header_name: 'x' } }"))
          .append("} } ");
    }
    return merge(text.append("}").toString(), MeshResources.routes(List.of()).toBuilder()).build();
  }

  private String typeUrl() {
    String type = pick(PLUGIN_TYPES);
    return type.isEmpty() ? "" : "type.googleapis.com/" + type;
  }

  private String plugin() {
    return pick(List.of("p", "q", "r", ""));
  }

  /** A cluster with random subsetting as service configs write it. */
  Message subset() {
    String config =
        maybe(95, "subsetSize: " + pick(random.nextBoolean() ? SIZES : List.of("2")) + ",")
            + maybe(95, "childPolicy: " + children(2) + ",")
            + "other: 1";
    var settings = Struct.newBuilder();
    try {
      JsonFormat.parser().merge("{" + config + "}", settings);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(config, e);
    }
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
    return cluster.build();
  }

  private String children(int depth) {
    return depth > 0 && random.nextInt(5) == 0
        ? "[{random_subsetting_experimental: {subsetSize: "
            + pick(SIZES)
            + ", childPolicy: "
            + children(depth - 1)
            + "}}]"
        : pick(CHILDREN);
  }

  private String maybe(int percent, String text) {
    return random.nextInt(100) < percent ? text + " " : "";
  }

  private <T> T pick(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  private static <B extends Message.Builder> B merge(String text, B into) {
    try {
      TextFormat.merge(text.replace('\'', '"'), into);
    } catch (TextFormat.ParseException e) {
      throw new AssertionError(text, e);
    }
    return into;
  }
}
