package io.outrigger.xds.overlay;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.TypeRegistry;
import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.overlay.Overlay.ClusterRule;
import io.outrigger.xds.overlay.Overlay.RouteRule;
import io.outrigger.xds.testing.Overlays;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What rules make of a message, field by field. */
final class MergeTest {
  private static final String OPTIONS =
      "\"envoy.extensions.upstreams.http.v3.HttpProtocolOptions\": {\"@type\":"
          + " \"type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions\", %s}";

  private static final String POLICIES =
      "{policies: [{typed_extension_config: {name: rr, typed_config: {\"@type\":"
          + " type.googleapis.com/envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin}}}]}";

  private static Arguments row(String what, String own, String result, String... rules) {
    return Arguments.of(Named.of(what, own), result, List.of(rules));
  }

  static Stream<Arguments> clusters() {
    return Stream.of(
        row(
            "default fills what is unset, within a message that is there",
            "outlier_detection: {interval: 5s}",
            "outlier_detection: {interval: 5s, base_ejection_time: 7s}",
            "default; outlier_detection: {interval: 1s, base_ejection_time: 7s}"),
        row(
            "override replaces what it names, and leaves the rest",
            "outlier_detection: {interval: 5s, base_ejection_time: 3s}",
            "outlier_detection: {interval: 1s, base_ejection_time: 3s}",
            "override; outlier_detection: {interval: 1s}"),
        row(
            "a wrapper with the value 0 is set",
            "outlier_detection: {enforcing_success_rate: 0}",
            "outlier_detection: {enforcing_success_rate: 0}",
            "default; outlier_detection: {enforcing_success_rate: 100}"),
        row(
            "a message without fields is set, and its fields are not",
            "outlier_detection: {}",
            "outlier_detection: {interval: 1s}",
            "default; outlier_detection: {interval: 1s}"),
        row(
            "an empty message is a setting",
            "name: a",
            "{name: a, outlier_detection: {}}",
            "default; outlier_detection: {}"),
        row(
            "a list is one value, which default leaves",
            "circuit_breakers: {thresholds: [{max_requests: 5}]}",
            "circuit_breakers: {thresholds: [{max_requests: 5}]}",
            "default; circuit_breakers: {thresholds: [{max_retries: 5}]}"),
        row(
            "and override replaces",
            "circuit_breakers: {thresholds: [{max_requests: 5}, {priority: HIGH}]}",
            "circuit_breakers: {thresholds: [{max_retries: 5}]}",
            "override; circuit_breakers: {thresholds: [{max_retries: 5}]}"),
        row(
            "the first rule that sets a field wins",
            "name: a",
            "{name: a, outlier_detection: {interval: 1s, base_ejection_time: 9s}}",
            "default; outlier_detection: {interval: 1s}",
            "override; outlier_detection: {interval: 2s, base_ejection_time: 9s}"),
        row(
            "a default that sets nothing has not won",
            "outlier_detection: {interval: 5s}",
            "outlier_detection: {interval: 2s}",
            "default; outlier_detection: {interval: 1s}",
            "override; outlier_detection: {interval: 2s}"),
        row(
            "an override of a default value sets it",
            "{lb_policy: RING_HASH, ring_hash_lb_config: {minimum_ring_size: 5}}",
            "name: ''",
            "override; lb_policy: ROUND_ROBIN"),
        row(
            "override takes a field away with null",
            "outlier_detection: {interval: 5s}",
            "name: ''",
            "override; outlier_detection: null"),
        row(
            "default does not",
            "outlier_detection: {interval: 5s}",
            "outlier_detection: {interval: 5s}",
            "default; outlier_detection: null"),
        row(
            "nor does override take away what a rule before has set",
            "name: a",
            "{name: a, outlier_detection: {interval: 1s}}",
            "default; outlier_detection: {interval: 1s}",
            "override; outlier_detection: null"),
        row(
            "what a rule has taken away stays away",
            "outlier_detection: {interval: 5s}",
            "name: ''",
            "override; outlier_detection: null",
            "default; outlier_detection: {interval: 1s}"),
        row(
            "any member of a oneof counts for default",
            "least_request_lb_config: {choice_count: 3}",
            "least_request_lb_config: {choice_count: 3}",
            "default; ring_hash_lb_config: {minimum_ring_size: 5}"),
        row(
            "an override of a member takes the place of another",
            "least_request_lb_config: {choice_count: 3}",
            "ring_hash_lb_config: {minimum_ring_size: 5}",
            "override; ring_hash_lb_config: {minimum_ring_size: 5}"),
        row(
            "but not of one that a rule has set",
            "name: a",
            "{name: a, least_request_lb_config: {choice_count: 3}}",
            "default; least_request_lb_config: {choice_count: 3}",
            "override; ring_hash_lb_config: {minimum_ring_size: 5}"),
        row(
            "an override of lb_policy clears load_balancing_policy and other configurations",
            "{load_balancing_policy: "
                + POLICIES
                + ", ring_hash_lb_config: {minimum_ring_size: 5}}",
            "lb_policy: LEAST_REQUEST",
            "override; lb_policy: LEAST_REQUEST"),
        row(
            "and keeps the configuration of the policy",
            "{lb_policy: ROUND_ROBIN, ring_hash_lb_config: {minimum_ring_size: 5}}",
            "{lb_policy: RING_HASH, ring_hash_lb_config: {minimum_ring_size: 5}}",
            "override; lb_policy: RING_HASH"),
        row(
            "an override of load_balancing_policy clears lb_policy with its configuration",
            "{lb_policy: RING_HASH, ring_hash_lb_config: {minimum_ring_size: 5}}",
            "load_balancing_policy: " + POLICIES,
            "override; load_balancing_policy: " + POLICIES),
        row(
            "a policy that a rule has chosen is not chosen again in the other form",
            "name: a",
            "{name: a, load_balancing_policy: " + POLICIES + "}",
            "default; load_balancing_policy: " + POLICIES,
            "override; lb_policy: LEAST_REQUEST"),
        row(
            "in neither direction",
            "name: a",
            "{name: a, lb_policy: LEAST_REQUEST}",
            "default; lb_policy: LEAST_REQUEST",
            "override; load_balancing_policy: " + POLICIES),
        row(
            "default leaves the policy of either form alone",
            "lb_policy: RING_HASH",
            "lb_policy: RING_HASH",
            "default; load_balancing_policy: " + POLICIES),
        row(
            "in both directions",
            "load_balancing_policy: " + POLICIES,
            "load_balancing_policy: " + POLICIES,
            "default; lb_policy: RING_HASH"),
        row(
            "options are laid over field by field",
            "typed_extension_protocol_options: {"
                + OPTIONS.formatted("\"common_http_protocol_options\": {\"max_headers_count\": 7}")
                + "}",
            "typed_extension_protocol_options: {"
                + OPTIONS.formatted(
                    "\"common_http_protocol_options\": {\"idle_timeout\": \"9s\","
                        + " \"max_headers_count\": 7}")
                + "}",
            "default; typed_extension_protocol_options:"
                + " {envoy.extensions.upstreams.http.v3.HttpProtocolOptions:"
                + " {common_http_protocol_options: {idle_timeout: 9s}}}"));
  }

  @ParameterizedTest
  @Conformance("OV-01")
  @MethodSource("clusters")
  void clustersBecome(String own, String result, List<String> rules) throws Exception {
    var yaml = new StringBuilder("overlay:\n");
    for (int i = 0; i < rules.size(); i++) {
      String[] parts = rules.get(i).split("; ", 2);
      yaml.append(
          "- {name: rule-%d, clusters: ['*'], mode: %s, patch: {%s}}\n"
              .formatted(i, parts[0], parts[1]));
    }

    var merge = new Merge(read(own, Cluster.newBuilder()));
    for (ClusterRule rule : Overlays.of(yaml.toString()).clusterRules("c")) {
      merge.apply(rule.rule(), rule.patch());
    }

    assertThat(merge.message()).isEqualTo(read(result, Cluster.newBuilder()));
  }

  @Test
  @Conformance("OV-01")
  void whatIsToldIsWhatWasSet() throws Exception {
    var merge = new Merge(read("outlier_detection: {interval: 5s}", Cluster.newBuilder()));

    boolean changed =
        apply(
            merge,
            """
            overlay:
            - name: first
              clusters: ["*"]
              patch: {outlier_detection: {interval: 1s, base_ejection_time: 7s}, lb_policy: RING_HASH}
            """);

    assertThat(changed).isTrue();
    assertThat(merge.values())
        .extracting(value -> value.rule().name() + " " + value.field() + " " + value.value())
        .containsExactly(
            "first outlier_detection.base_ejection_time \"7s\"", "first lb_policy \"RING_HASH\"");
  }

  @Test
  @Conformance("OV-01")
  void optionsWhoseTypeHasNoSlashAreLaidOver() throws Exception {
    String name = HttpProtocolOptions.getDescriptor().getFullName();
    Any options = Any.pack(HttpProtocolOptions.getDefaultInstance());
    var merge =
        new Merge(
            Cluster.newBuilder()
                .putTypedExtensionProtocolOptions(
                    name, options.toBuilder().setTypeUrl(name).build())
                .build());

    boolean changed =
        apply(
            merge,
            """
            overlay:
            - name: idle
              clusters: ["*"]
              mode: override
              patch:
                typed_extension_protocol_options:
                  envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
                    common_http_protocol_options: {idle_timeout: 9s}
            """);

    assertThat(changed).isTrue();
  }

  @Test
  @Conformance("OV-01")
  void aRuleThatSetsNothingSaysSo() throws Exception {
    var merge = new Merge(read("lb_policy: RING_HASH", Cluster.newBuilder()));

    assertThat(
            apply(
                merge, "overlay: [{name: a, clusters: ['*'], patch: {lb_policy: LEAST_REQUEST}}]"))
        .isFalse();
    assertThat(merge.values()).isEmpty();
  }

  @Test
  @Conformance("OV-01")
  void routesAreLaidOverInTheSameWay() throws Exception {
    RouteAction own =
        (RouteAction)
            read(
                "{cluster: c, max_stream_duration: {max_stream_duration: 5s}}",
                RouteAction.newBuilder());
    var merge = new Merge(own);
    RouteRule rule =
        Overlays.of(
                """
                overlay:
                - name: longer
                  targets: ["*"]
                  patch:
                    timeout: 3s
                    max_stream_duration: {max_stream_duration: 1s, grpc_timeout_header_max: 30s}
                """)
            .forTargets(Set.of("t"))
            .routeRulesByTarget()
            .get("t")
            .get(0);

    merge.apply(rule.rule(), rule.patch());

    assertThat(merge.message())
        .isEqualTo(
            read(
                "{cluster: c, timeout: 3s, max_stream_duration: {max_stream_duration: 5s,"
                    + " grpc_timeout_header_max: 30s}}",
                RouteAction.newBuilder()));
  }

  private static boolean apply(Merge merge, String yaml) {
    List<Boolean> changed = new ArrayList<>();
    Overlays.of(yaml)
        .clusterRules("c")
        .forEach(rule -> changed.add(merge.apply(rule.rule(), rule.patch())));
    return changed.contains(true);
  }

  /** A message in the JSON that YAML is. */
  private static Message read(String yaml, Message.Builder into)
      throws InvalidProtocolBufferException {
    Object tree = new Load(LoadSettings.builder().build()).loadFromString(yaml);
    String json = new Gson().toJson(tree);
    JsonFormat.parser()
        .usingTypeRegistry(
            TypeRegistry.newBuilder()
                .add(HttpProtocolOptions.getDescriptor())
                .add(RoundRobin.getDescriptor())
                .build())
        .merge(json, into);
    return into.build();
  }
}
