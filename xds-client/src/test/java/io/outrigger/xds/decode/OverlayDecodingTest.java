package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.ResourceType.ROUTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.listener.RouteSource;
import io.outrigger.config.overlay.Overlaid;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction.Forward;
import io.outrigger.config.route.RouteTable;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.JsonResources;
import io.outrigger.xds.testing.Overlays;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Resources with local policy over them are what the control plane would have made of them. */
final class OverlayDecodingTest {
  private static final String CLUSTER_JSON =
      """
      {"name":"outbound|7070||orders","type":"EDS","eds_cluster_config":{"eds_config":{"ads":{}}}%s}
      """;

  private static final String ROUTES_JSON =
      """
      {"name":"r","virtual_hosts":[{"name":"all","domains":["*"],"routes":[
        {"name":"reports","match":{"prefix":"/reports."},"route":{"cluster":"c"%s}},
        {"match":{"path":"/a/B"},"route":{"cluster":"c"}},
        {"match":{"prefix":""},"direct_response":{"status":404}}]}]}
      """;

  private static ClusterResource cluster(String more, String overlay) {
    return Decoding.valid(CLUSTER, CLUSTER_JSON.formatted(more), under(overlay));
  }

  private static DecodeContext under(String overlay) {
    return Decoding.CONTEXT.under(Overlays.of(overlay).forTargets(Set.of("xds:///a", "xds:///b")));
  }

  private static RouteTable routes(String more, String overlay) {
    return Decoding.valid(ROUTE, ROUTES_JSON.formatted(more), under(overlay));
  }

  @Test
  @Conformance({"OV-01", "OV-02"})
  void aClusterIsWhatTheControlPlaneWouldHaveMadeOfIt() {
    ClusterResource patched =
        cluster(
            "",
            """
            overlay:
            - name: eject
              clusters: ["outbound|7070||*"]
              patch:
                outlier_detection: {interval: 5s, enforcing_failure_percentage: 100}
                circuit_breakers: {thresholds: [{max_requests: 7}]}
            - {name: other, clusters: ["outbound|80||*"], patch: {lb_policy: RING_HASH}}
            """);

    ClusterResource sent =
        Decoding.valid(
            CLUSTER,
            CLUSTER_JSON.formatted(
                ",\"outlier_detection\":{\"interval\":\"5s\",\"enforcing_failure_percentage\":100},"
                    + "\"circuit_breakers\":{\"thresholds\":[{\"max_requests\":7}]}"));
    assertThat(patched.overlaid(OverlayEffect.NONE)).isEqualTo(sent);
    assertThat(patched.overlay().matched()).extracting("name").containsExactly("eject");
    assertThat(patched.overlay().set())
        .extracting(OverlayEffect.Value::field)
        .containsExactly(
            "outlier_detection.interval",
            "outlier_detection.enforcing_failure_percentage",
            "circuit_breakers.thresholds");
  }

  @Test
  @Conformance("OV-02")
  void aRuleThatWouldMakeAClusterInvalidIsLeftOutAsAWholeAndTheOthersStay() {
    String ring = ",\"lb_policy\":\"RING_HASH\",\"ring_hash_lb_config\":{\"minimum_ring_size\":50}";

    ClusterResource patched =
        cluster(
            ring,
            """
            overlay:
            - {name: first, clusters: ["*"], patch: {outlier_detection: {interval: 5s}}}
            - name: bad
              clusters: ["*"]
              patch:
                ring_hash_lb_config: {maximum_ring_size: 40}
                circuit_breakers: {thresholds: [{max_requests: 7}]}
            - {name: last, clusters: ["*"], patch: {circuit_breakers: {thresholds: [{max_requests: 9}]}}}
            """);

    assertThat(patched.policy()).isInstanceOf(BalancingPolicy.RingHash.class);
    assertThat(patched.outlierDetection().map(OutlierDetection::interval))
        .contains(Duration.ofSeconds(5));
    assertThat(patched.limits().maxRequests()).isEqualTo(9);
    assertThat(patched.overlay().matched()).hasSize(3);
    assertThat(patched.overlay().leftOut())
        .singleElement()
        .satisfies(
            left -> {
              assertThat(left.rule().name()).isEqualTo("bad");
              assertThat(left.field()).isEqualTo("ring_hash_lb_config.minimum_ring_size");
              assertThat(left.reason()).contains("above the maximum of 40");
            });
    assertThat(patched.overlay().set())
        .extracting(value -> value.rule().name())
        .containsExactly("first", "last");
  }

  @Test
  @Conformance("OV-02")
  void whatTheControlPlaneSendsWrongIsRefusedWhateverTheOverlaySays() {
    String wrong = ",\"outlier_detection\":{\"interval\":\"-5s\"}";

    assertThat(
            Decoding.errors(
                CLUSTER,
                CLUSTER_JSON.formatted(wrong),
                under(
                    "overlay: [{name: a, clusters: ['*'], mode: override,"
                        + " patch: {outlier_detection: {interval: 5s}}}]")))
        .isNotEmpty();
  }

  @Test
  @Conformance("OV-05")
  void anAggregateItselfIsNotChangedInWhereItLeads() {
    String aggregate =
        """
        {"name":"agg","lb_policy":"CLUSTER_PROVIDED","cluster_type":{"name":"envoy.clusters.aggregate",
         "typed_config":{"@type":"type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig",
         "clusters":["a","b"]}}}
        """;
    ClusterResource own = Decoding.valid(CLUSTER, aggregate);

    ClusterResource patched =
        Decoding.valid(
            CLUSTER,
            aggregate,
            under("overlay: [{name: a, clusters: [agg], patch: {outlier_detection: {}}}]"));

    assertThat(patched.source()).isEqualTo(own.source());
    assertThat(patched.policy()).isEqualTo(own.policy());
  }

  @Test
  @Conformance("OV-01")
  void aRouteIsChosenByItsOwnPathPrefixAndName() {
    RouteTable table =
        routes(
            "",
            """
            overlay:
            - name: both
              routes: {path_prefix: "/reports.", name: "rep*"}
              patch: {max_stream_duration: {grpc_timeout_header_max: 30s}}
            - name: by-path
              routes: {path: "/a/*"}
              patch: {timeout: 3s}
            - name: neither
              routes: {path_prefix: "/reports.", name: "other"}
              patch: {timeout: 9s}
            """);

    assertThat(streamLimit(table, 0)).contains(Duration.ofSeconds(30));
    assertThat(forward(table, 0).timeout().timeout()).isEmpty();
    assertThat(forward(table, 1).timeout().timeout()).contains(Duration.ofSeconds(3));
    assertThat(route(table, 0).overlay().orElseThrow().matched())
        .extracting("name")
        .containsExactly("both");
    assertThat(route(table, 2).overlay()).isEmpty(); // does not forward
  }

  @Test
  @Conformance("OV-01")
  void aRuleForSomeTargetsHoldsForThemAlone() {
    RouteTable table =
        routes(
            "",
            """
            overlay:
            - {name: for-a, targets: ["xds:///a"], patch: {timeout: 1s}}
            - {name: for-all, routes: {path: "*"}, patch: {timeout: 2s}}
            """);

    assertThat(forward(table.forTarget("xds:///a"), 0).timeout().timeout())
        .contains(Duration.ofSeconds(1));
    assertThat(forward(table.forTarget("xds:///a"), 1).timeout().timeout())
        .contains(Duration.ofSeconds(1));
    assertThat(forward(table.forTarget("xds:///b"), 0).timeout().timeout()).isEmpty();
    assertThat(forward(table.forTarget("xds:///b"), 1).timeout().timeout())
        .contains(Duration.ofSeconds(2));
  }

  @Test
  @Conformance("OV-02")
  void aRuleThatWouldMakeARouteInvalidIsLeftOut() {
    RouteTable table =
        routes(
            ",\"retry_policy\":{\"retry_on\":\"unavailable\",\"retry_back_off\":"
                + "{\"base_interval\":\"5s\"}}",
            """
            overlay:
            - name: bad
              routes: {name: reports}
              mode: override
              patch: {retry_policy: {retry_back_off: {max_interval: 1s}}}
            """);

    assertThat(route(table, 0).overlay().orElseThrow().leftOut())
        .singleElement()
        .satisfies(left -> assertThat(left.field()).startsWith("retry_policy.retry_back_off"));
    assertThat(forward(table, 0).retry().orElseThrow().baseInterval())
        .isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  @Conformance("OV-05")
  void routesInAListenerAreLaidOverToo() {
    var listener =
        ResourceDecoder.decode(
                LISTENER,
                List.of(JsonResources.any(JsonResources.listener("l", "c"))),
                under("overlay: [{name: a, targets: ['xds:///a'], patch: {timeout: 1s}}]"))
            .valid()
            .get("l")
            .value();

    assertThat(inline(listener.forTarget("xds:///a"))).contains(Duration.ofSeconds(1));
    assertThat(inline(listener.forTarget("xds:///b"))).isEmpty();
  }

  private static Optional<Duration> inline(Overlaid listener) {
    var table = ((RouteSource.Inline) ((ApiListener) listener).routes()).table();
    return forward(table, 0).timeout().timeout();
  }

  private static Optional<Duration> streamLimit(RouteTable table, int route) {
    return forward(table, route).timeout().maxStreamDuration().orElseThrow().grpcTimeoutHeaderMax();
  }

  private static Forward forward(RouteTable table, int index) {
    return (Forward) route(table, index).action();
  }

  private static Route route(RouteTable table, int index) {
    return table.virtualHosts().get(0).routes().get(index);
  }
}
