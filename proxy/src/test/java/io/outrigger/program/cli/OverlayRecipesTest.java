package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.route.HashPolicy;
import io.outrigger.config.route.RouteAction.Forward;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.RouteTimeout.StreamDuration;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.decode.ResourceDecoder;
import io.outrigger.xds.overlay.Overlay;
import io.outrigger.xds.testing.JsonResources;
import io.outrigger.xds.testing.Overlays;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every recipe of the page does what its heading says to resources such as istiod sends them. */
final class OverlayRecipesTest {
  private static final Path PAGE = Path.of("../docs/use/overlay.md");
  private static final Pattern RECIPE =
      Pattern.compile("### (\\d+)\\. [^`]*```yaml\\n(.*?)```", Pattern.DOTALL);

  private static final String ISTIO = "outbound|7070||%s.default.svc.cluster.local";

  private static Overlay recipe(int number) throws IOException {
    var recipes = RECIPE.matcher(Files.readString(PAGE));
    while (recipes.find()) {
      if (Integer.parseInt(recipes.group(1)) == number) {
        return Overlays.of(recipes.group(2))
            .forTargets(Set.of("xds:///catalogue:7070", "xds:///cache:7070", "xds:///other:7070"));
      }
    }
    throw new AssertionError("no recipe " + number);
  }

  private static <T> T decode(ResourceType<T> type, String json, Overlay overlay) {
    var context = new DecodeContext(ServerFeatures.NONE, Map.of()).under(overlay);
    return ResourceDecoder.decode(type, List.of(JsonResources.any(json)), context)
        .valid()
        .values()
        .iterator()
        .next()
        .value();
  }

  private static ClusterResource cluster(int recipe, String service, String more)
      throws IOException {
    return decode(
        ResourceType.CLUSTER,
        """
        {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"%s","type":"EDS",
         "eds_cluster_config":{"eds_config":{"ads":{}}}%s}"""
            .formatted(ISTIO.formatted(service), more),
        recipe(recipe));
  }

  private static Forward route(int recipe, String target, String match) throws IOException {
    RouteTable table =
        decode(
            ResourceType.ROUTE,
            """
            {"@type":"type.googleapis.com/envoy.config.route.v3.RouteConfiguration","name":"r",
             "virtual_hosts":[{"name":"all","domains":["*"],"routes":[
               {"match":%s,"route":{"cluster":"c","timeout":"0s","max_grpc_timeout":"0s"}}]}]}"""
                .formatted(match),
            recipe(recipe));
    var route = table.forTarget(target).virtualHosts().get(0).routes().get(0);
    return (Forward) route.action();
  }

  @Test
  @Conformance("OV-01")
  void endpointsThatFailAreEjected() throws IOException {
    OutlierDetection detection = cluster(1, "orders", "").outlierDetection().orElseThrow();

    assertThat(detection.interval()).isEqualTo(Duration.ofSeconds(5));
    assertThat(detection.maxEjectionPercent()).isEqualTo(50);
    assertThat(detection.successRate()).isEmpty();
    assertThat(detection.failurePercentage()).isPresent();
  }

  @Test
  void methodsHaveTheirDeadlines() throws IOException {
    assertThat(limit(route(2, "any", "{\"path\":\"/pay.Payments/Charge\"}")))
        .contains(Duration.ofSeconds(2));
    assertThat(limit(route(2, "any", "{\"prefix\":\"/reports.\"}")))
        .contains(Duration.ofSeconds(120));
    assertThat(limit(route(2, "any", "{\"prefix\":\"\"}"))).isEmpty();
  }

  private static Optional<Duration> limit(Forward route) {
    return route.timeout().maxStreamDuration().flatMap(StreamDuration::grpcTimeoutHeaderMax);
  }

  @Test
  void oneServiceIsRetried() throws IOException {
    assertThat(route(3, "xds:///catalogue:7070", "{\"prefix\":\"\"}").retry())
        .hasValueSatisfying(retry -> assertThat(retry.maxAttempts()).isEqualTo(3));
    assertThat(route(3, "xds:///other:7070", "{\"prefix\":\"\"}").retry()).isEmpty();
  }

  @Test
  void requestsInFlightAreLimited() throws IOException {
    String istios = ",\"circuit_breakers\":{\"thresholds\":[{\"max_requests\":4294967295}]}";

    assertThat(cluster(4, "legacy", istios).limits().maxRequests()).isEqualTo(100);
    assertThat(cluster(4, "orders", istios).limits().maxRequests()).isEqualTo(4294967295L);
  }

  @Test
  void oneCustomerMeetsOneCache() throws IOException {
    assertThat(cluster(5, "cache", "").policy()).isInstanceOf(BalancingPolicy.RingHash.class);
    assertThat(route(5, "xds:///cache:7070", "{\"prefix\":\"\"}").hashPolicies())
        .singleElement()
        .isInstanceOfSatisfying(
            HashPolicy.Header.class, header -> assertThat(header.name()).isEqualTo("x-customer"));
  }

  @Test
  void leastRequestTakesTheTurn() throws IOException {
    assertThat(cluster(6, "orders", ",\"lb_policy\":\"RING_HASH\"").policy())
        .isEqualTo(new BalancingPolicy.LeastRequest(3));
  }

  @Test
  void endpointsMayHaveMoreConnections() throws IOException {
    assertThat(cluster(7, "uploads", "").limits().maxConnections()).isEqualTo(4);
  }

  @Test
  void failoverIsPatient() throws IOException {
    OutlierDetection detection =
        cluster(8, "orders", ",\"outlier_detection\":{\"interval\":\"1s\"}")
            .outlierDetection()
            .orElseThrow();

    assertThat(detection.interval()).isEqualTo(Duration.ofSeconds(30));
    assertThat(detection.maxEjectionPercent()).isEqualTo(20);
  }

  @Test
  void istiosProtocolsAreOffered() throws IOException {
    String secured =
        """
        ,"transport_socket":{"name":"tls","typed_config":{"@type":
          "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
          "common_tls_context":{"validation_context":{"system_root_certs":{}}}}}""";

    assertThat(cluster(9, "orders", secured).transport().tls().orElseThrow().alpn())
        .containsExactly("istio-h2", "istio");
  }

  @Test
  void detectionIsOff() throws IOException {
    assertThat(
            cluster(10, "orders", ",\"outlier_detection\":{\"interval\":\"1s\"}")
                .outlierDetection())
        .isEmpty();
  }
}
