package io.outrigger.xds.stream;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.ROUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Any;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.route.RouteAction.Forward;
import io.outrigger.config.route.RouteTable;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.XdsClient;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.decode.Decoded;
import io.outrigger.xds.decode.ResourceDecoder;
import io.outrigger.xds.overlay.Overlay;
import io.outrigger.xds.status.OverlayStatus;
import io.outrigger.xds.testing.JsonResources;
import io.outrigger.xds.testing.Overlays;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Local policy that changes while responses come: in whatever order, what is in use is the last
 * resource under the last overlay.
 */
final class OverlayScenarioTest {
  private static final XdsServer SERVER = FleetFixture.server("cp.test:1", ServerFeatures.NONE);

  private final List<String> decoded = new ArrayList<>();
  private final FleetFixture fleet = new FleetFixture(List.of(SERVER), Map.of(), this::decode);
  private final List<String> leftOut = new ArrayList<>();
  private boolean broken;

  /** What a watcher uses: of a cluster its limit of requests, of a route its timeout. */
  private static final class Limits<T> implements ResourceWatcher<T> {
    final List<String> told = new ArrayList<>();

    @Override
    public void onChanged(Outcome<T> resource) {
      told.add(resource.match(Limits::limit, status -> "failed"));
    }

    private static String limit(Object value) {
      if (value instanceof ClusterResource cluster) {
        return "" + cluster.limits().maxRequests();
      }
      var table = (RouteTable) value;
      var action = (Forward) table.virtualHosts().get(0).routes().get(0).action();
      return action.timeout().timeout().map(Object::toString).orElse("none");
    }

    @Override
    public void onAmbientError(RpcStatus status) {
      told.add(status.isOk() ? "well" : "ambient");
    }

    List<String> take() {
      List<String> taken = List.copyOf(told);
      told.clear();
      return taken;
    }
  }

  private <T> Decoded<T> decode(ResourceType<T> type, List<Any> resources, DecodeContext context) {
    if (broken) {
      throw new IllegalStateException("a bug of ours");
    }
    Decoded<T> result = ResourceDecoder.decode(type, resources, context);
    decoded.addAll(result.valid().keySet());
    return result;
  }

  private <T> Limits<T> watch(String target, ResourceType<T> type, String name) {
    var watcher = new Limits<T>();
    XdsClient client = fleet.clients.of(target);
    fleet.loop.inside(
        () -> {
          var unused = client.watch(type, name, watcher);
        });
    return watcher;
  }

  private void respond(ResourceType<?> type, String version, Any... resources) {
    fleet.transports.get(SERVER).stream().respond(type, version, resources);
  }

  private void overlay(String yaml) {
    Overlay overlay = Overlays.of(yaml);
    fleet.loop.inside(
        () ->
            fleet.clients.overlay(
                overlay, (resource, omission) -> leftOut.add(resource + " " + omission.field())));
  }

  private static String limit(String clusters, int requests) {
    return """
        overlay:
        - name: limit
          clusters: ["%s"]
          patch: {circuit_breakers: {thresholds: [{max_requests: %d}]}}
        """
        .formatted(clusters, requests);
  }

  private static Any cluster(String name) {
    return JsonResources.any(
        """
        {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"%s","type":"EDS",
         "eds_cluster_config":{"eds_config":{"ads":{}}}}"""
            .formatted(name));
  }

  @Test
  @Conformance({"OV-02", "OV-04"})
  void aChangedRuleIsLaidOverWhatIsInUse() {
    Limits<ClusterResource> a = watch("t", CLUSTER, "a");
    Limits<ClusterResource> b = watch("t", CLUSTER, "b");
    respond(CLUSTER, "1", cluster("a"), cluster("b"));
    assertThat(a.take()).containsExactly("1024");
    assertThat(b.take()).containsExactly("1024");
    decoded.clear();

    overlay(limit("a", 5));
    assertThat(a.take()).containsExactly("5");
    assertThat(b.take()).isEmpty();
    assertThat(decoded).containsExactly("a", "b");

    overlay(limit("a", 6));
    assertThat(a.take()).containsExactly("6");
    assertThat(decoded).containsExactly("a", "b", "a", "b");

    overlay("overlay: []");
    assertThat(a.take()).containsExactly("1024");
    assertThat(b.take()).isEmpty();
    assertThat(fleet.observed).noneMatch(line -> line.contains("nack"));
  }

  @Test
  @Conformance("OV-04")
  void aBugOfOursLeavesWhatIsInUseAndTheNextChangeIsLaidOver() {
    Limits<ClusterResource> a = watch("t", CLUSTER, "a");
    respond(CLUSTER, "1", cluster("a"));
    broken = true;
    assertThatThrownBy(() -> overlay(limit("a", 5))).hasRootCauseMessage("a bug of ours");
    assertThat(a.take()).containsExactly("1024");

    broken = false;
    overlay(limit("a", 6));

    assertThat(a.take()).containsExactly("6");
  }

  @Test
  @Conformance("OV-05")
  void whatComesLaterIsDecodedUnderTheOverlayAtOnce() {
    overlay(limit("*", 5));
    Limits<ClusterResource> a = watch("t", CLUSTER, "a");

    respond(CLUSTER, "1", cluster("a"));

    assertThat(a.take()).containsExactly("5");
    assertThat(decoded).containsExactly("a");
  }

  @Test
  @Conformance("OV-04")
  void anOverlayThatChangesWhileAResponseIsDecodedWins() {
    Limits<ClusterResource> a = watch("t", CLUSTER, "a");
    fleet.holdDecoding();
    respond(CLUSTER, "1", cluster("a"));

    overlay(limit("a", 5));
    fleet.decode();
    fleet.decode();

    assertThat(a.take()).last().isEqualTo("5");
  }

  @Test
  @Conformance("OV-04")
  void aResponseThatRepeatsWhatIsInUseDoesNotBringTheOldOverlayBack() {
    Limits<ClusterResource> a = watch("t", CLUSTER, "a");
    respond(CLUSTER, "1", cluster("a"));
    fleet.holdDecoding();

    overlay(limit("a", 5));
    respond(CLUSTER, "2", cluster("a"));
    fleet.decode();
    fleet.decode();

    assertThat(a.take()).last().isEqualTo("5");
  }

  @Test
  @Conformance("OV-04")
  void ofManyChangesInARowTheLastOneStays() {
    Limits<ClusterResource> a = watch("t", CLUSTER, "a");
    respond(CLUSTER, "1", cluster("a"));
    fleet.holdDecoding();

    for (int i = 1; i <= 20; i++) {
      overlay(limit("a", i));
    }
    for (int i = 0; i < 3; i++) {
      fleet.decode();
    }

    assertThat(a.take()).last().isEqualTo("20");
  }

  @Test
  @Conformance("OV-02")
  void anErrorBesideTheResourceIsToldAgainAfterTheChange() {
    Limits<ClusterResource> a = watch("t", CLUSTER, "a");
    respond(CLUSTER, "1", cluster("a"));
    respond(
        CLUSTER,
        "2",
        JsonResources.any(
            """
            {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"a",
             "lb_policy":"MAGLEV"}"""));
    assertThat(a.take()).containsExactly("1024", "ambient");

    overlay(limit("a", 5));

    assertThat(a.take()).containsExactly("5", "ambient");
  }

  @Test
  @Conformance({"OV-01", "OV-04"})
  void targetsThatShareRoutesHaveTheirOwnRules() {
    overlay("overlay: [{name: a, targets: ['xds:///a'], patch: {timeout: 7s}}]");
    Limits<RouteTable> a = watch("xds:///a", ROUTE, "r");
    Limits<RouteTable> b = watch("xds:///b", ROUTE, "r");

    respond(ROUTE, "1", JsonResources.any(JsonResources.routes("r", "c")));

    assertThat(a.take()).containsExactly("PT7S");
    assertThat(b.take()).containsExactly("none");
    Limits<RouteTable> late = watch("xds:///a", ROUTE, "r");
    assertThat(late.take()).containsExactly("PT7S");

    overlay("overlay: [{name: a, targets: ['xds:///?'], patch: {timeout: 8s}}]");

    assertThat(a.take()).containsExactly("PT8S");
    assertThat(b.take()).containsExactly("PT8S");
  }

  @Test
  @Conformance("OV-06")
  void aRuleForOneTargetMatchesAndSetsNoRouteOfAnother() {
    overlay(
        """
        overlay:
        - {name: a, targets: ["xds:///a"], patch: {timeout: 7s}}
        """);
    watch("xds:///a", ROUTE, "r");
    watch("xds:///b", ROUTE, "r");
    watch("xds:///b", ROUTE, "s");

    respond(
        ROUTE,
        "1",
        JsonResources.any(JsonResources.routes("r", "c")),
        JsonResources.any(JsonResources.routes("s", "c")));

    List<OverlayStatus.Rule> rules = new ArrayList<>();
    fleet.loop.inside(() -> rules.addAll(fleet.clients.overlayRules()));
    assertThat(rules.get(0).routes()).isEqualTo(1);
    assertThat(rules.get(0).set()).singleElement().asString().contains("r/");
  }

  @Test
  @Conformance("OV-04")
  void anotherTargetWithRulesOfItsOwnChangesNoCluster() {
    overlay(
        """
        overlay:
        - {name: limit, clusters: ["*"], patch: {circuit_breakers: {thresholds: [{max_requests: 5}]}}}
        - {name: b, targets: ["xds:///b"], patch: {timeout: 7s}}
        """);
    Limits<ClusterResource> c = watch("xds:///a", CLUSTER, "c");
    Limits<RouteTable> a = watch("xds:///a", ROUTE, "r");
    respond(CLUSTER, "1", cluster("c"));
    respond(ROUTE, "1", JsonResources.any(JsonResources.routes("r", "c")));
    decoded.clear();

    Limits<RouteTable> b = watch("xds:///b", ROUTE, "r");

    assertThat(b.take()).last().isEqualTo("PT7S");
    assertThat(a.take()).last().isEqualTo("none");
    assertThat(c.take()).containsExactly("5");
  }

  @Test
  @Conformance({"OV-02", "OV-06"})
  void whatIsLeftOutIsToldOnceAndCounted() {
    Limits<ClusterResource> a = watch("t", CLUSTER, "a");
    String ring =
        """
        {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"a","type":"EDS",
         "eds_cluster_config":{"eds_config":{"ads":{}}},"lb_policy":"RING_HASH",
         "ring_hash_lb_config":{"minimum_ring_size":50}}""";
    respond(CLUSTER, "1", JsonResources.any(ring));

    overlay(
        """
        overlay:
        - {name: bad, clusters: ["*"], patch: {ring_hash_lb_config: {maximum_ring_size: 40}}}
        - {name: idle, clusters: ["z*"], patch: {lb_policy: RING_HASH}}
        """);
    respond(CLUSTER, "2", JsonResources.any(ring));

    assertThat(leftOut).containsExactly("a ring_hash_lb_config.minimum_ring_size");
    assertThat(a.take()).last().isEqualTo("1024");
    List<OverlayStatus.Rule> rules = new ArrayList<>();
    fleet.loop.inside(() -> rules.addAll(fleet.clients.overlayRules()));
    assertThat(rules).extracting(rule -> rule.rule().name()).containsExactly("bad", "idle");
    assertThat(rules.get(0).clusters()).isEqualTo(1);
    assertThat(rules.get(0).leftOut()).hasSize(1);
    assertThat(rules.get(1).matchesNothing()).isTrue();
  }
}
