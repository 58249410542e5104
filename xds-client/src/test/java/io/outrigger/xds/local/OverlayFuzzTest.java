package io.outrigger.xds.local;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.ROUTE;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.protobuf.Any;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.decode.ResourceDecoder;
import io.outrigger.xds.overlay.Overlay;
import io.outrigger.xds.status.FileProblem;
import io.outrigger.xds.testing.JsonResources;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Documents with something out of place: each is read or its faults are told, and what is read can
 * be laid over resources, which stay as valid as they were.
 */
final class OverlayFuzzTest {
  private static final int DOCUMENTS = 3000;
  private static final Gson GSON = new GsonBuilder().serializeNulls().create();

  private static final String GOOD =
      """
      overlay:
      - name: clusters
        clusters: ["*"]
        mode: override
        patch:
          outlier_detection: {interval: 5s, max_ejection_percent: 20, enforcing_success_rate: 0}
          circuit_breakers: {thresholds: [{max_requests: 7}], per_host_thresholds: [{max_connections: 2}]}
          lb_policy: RING_HASH
          ring_hash_lb_config: {minimum_ring_size: 5}
          common_lb_config: {override_host_status: {statuses: [DRAINING]}}
          alpn: [istio-h2]
          typed_extension_protocol_options:
            envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
              "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
              common_http_protocol_options: {idle_timeout: 9s}
      - name: policy
        clusters: ["c*"]
        patch:
          load_balancing_policy:
            policies:
            - typed_extension_config:
                name: x
                typed_config:
                  "@type": type.googleapis.com/envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest
                  choice_count: 3
      - name: routes
        targets: ["xds:///*"]
        routes: {path_prefix: "*", path: "/a/*", name: "*"}
        patch:
          timeout: 3s
          max_grpc_timeout: 3s
          max_stream_duration: {max_stream_duration: 3s, grpc_timeout_header_max: 4s}
          retry_policy: {retry_on: unavailable, num_retries: 2, retry_back_off: {base_interval: 1s}}
          hash_policy: [{header: {header_name: x}, terminal: true}]
      """;

  private static final List<Any> CLUSTERS =
      List.of(
          JsonResources.any(
              """
              {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"c","type":"EDS",
               "eds_cluster_config":{"eds_config":{"ads":{}}},"lb_policy":"LEAST_REQUEST",
               "outlier_detection":{"interval":"1s"},"circuit_breakers":{"thresholds":[{}]}}"""));
  private static final List<Any> ROUTES =
      List.of(JsonResources.any(JsonResources.routes("r", "c")));

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aDocumentIsReadOrItsFaultsAreTold(long seed) {
    var random = new Random(seed);
    Object good = new Load(LoadSettings.builder().build()).loadFromString(GOOD);
    for (int i = 0; i < DOCUMENTS; i++) {
      Object tree = good;
      for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
        tree = changed(tree, random);
      }
      check(GSON.toJson(tree));
    }
  }

  private static void check(String document) {
    List<FileProblem> problems = new ArrayList<>();
    OverlayFormat.Rules rules;
    try {
      rules = OverlayFormat.parse(Path.of("a.json"), document, problems);
      Overlay overlay = rules.overlay().forTargets(Set.of("xds:///orders"));
      assertStaysValid(CLUSTER, CLUSTERS, overlay);
      assertStaysValid(ROUTE, ROUTES, overlay);
    } catch (RuntimeException e) {
      throw new AssertionError(document, e);
    }
    assertThat(problems)
        .as(document)
        .allSatisfy(
            problem -> {
              assertThat(problem.line()).isPositive();
              assertThat(problem.column()).isPositive();
              assertThat(problem.message()).isNotBlank();
            });
  }

  private static <T> void assertStaysValid(
      ResourceType<T> type, List<Any> resources, Overlay overlay) {
    var context = new DecodeContext(ServerFeatures.NONE, Map.of()).under(overlay);
    assertThat(ResourceDecoder.decode(type, resources, context).hasErrors()).isFalse();
  }

  /** A copy with one part changed. */
  private static Object changed(Object tree, Random random) {
    if (tree instanceof Map<?, ?> map && !map.isEmpty() && random.nextInt(6) > 0) {
      Map<Object, Object> copy = new LinkedHashMap<>(map);
      Object key = List.copyOf(copy.keySet()).get(random.nextInt(copy.size()));
      if (random.nextInt(10) == 0) {
        copy.put(anything(random).toString(), copy.remove(key));
      } else {
        Object value = copy.get(key);
        copy.put(key, value == null ? anything(random) : changed(value, random));
      }
      return copy;
    }
    if (tree instanceof List<?> list && !list.isEmpty() && random.nextInt(6) > 0) {
      List<Object> copy = new ArrayList<>(list);
      int index = random.nextInt(copy.size());
      copy.set(index, changed(copy.get(index), random));
      return copy;
    }
    return random.nextInt(12) == 0 ? NULL_IN_A_LIST : anything(random);
  }

  private static final Object NULL_IN_A_LIST = new ArrayList<>(Arrays.asList((Object) null));

  private static Object anything(Random random) {
    List<Object> all =
        List.of(
            0,
            -1,
            1e300,
            4294967296L,
            true,
            "",
            "5s",
            "-5s",
            "*",
            "@type",
            "name",
            "type.googleapis.com/envoy.config.cluster.v3.Cluster",
            "a.b[0].c: d",
            "[0]",
            "\u0000\u202e",
            List.of(),
            List.of(1, "a", Map.of()),
            Map.of(),
            Map.of("@type", 5),
            Map.of("@type", "type.googleapis.com/no.such.Type", "x", 1),
            Map.of("", Map.of("", List.of(Map.of()))));
    return all.get(random.nextInt(all.size()));
  }
}
