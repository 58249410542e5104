package io.outrigger.lb.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.config.route.Fraction;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.testing.Samples;
import io.outrigger.testing.Conformance;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ClusterTreeTest {
  private static final String E1 = "10.0.0.1:80";
  private static final String E2 = "10.0.0.2:80";
  private static final String E3 = "10.0.0.3:80";

  @Test
  void aLeafHasTheShapeOfA75() {
    LbConfig tree =
        tree(
            Samples.eds(
                "pay",
                Samples.endpoints(
                    List.of(
                        List.of(
                            Samples.locality("a", 3, Samples.endpoint(E1)), Samples.zone("b", E2)),
                        List.of(Samples.zone("c", E3))))));

    LbConfig.Priority priority = priority(tree);
    assertThat(priority.children())
        .extracting(LbConfig.Child::name)
        .containsExactly("child0", "child1");
    assertThat(priority.children()).noneMatch(LbConfig.Child::reresolves);
    var first = (LbConfig.WeightedTarget) priority.children().get(0).config();
    assertThat(first.targets())
        .extracting(LbConfig.Target::locality)
        .containsExactly(Samples.locality("a"), Samples.locality("b"));
    assertThat(first.targets()).extracting(LbConfig.Target::weight).containsExactly(3L, 1L);
    assertThat(first.targets().get(0).child().kind()).isEqualTo(BalancingPolicy.RoundRobin.class);
  }

  @Test
  void clusterSettingsArriveAtTheirNodes() {
    var drops = List.of(new DropCategory("lb", new Fraction(1, 100)));
    var resource =
        Samples.cluster("pay", new ClusterSource.Eds("svc"), ClusterResource.DEFAULT_POLICY, 77);
    var endpoints = new EndpointSet("svc", List.of(List.of(Samples.zone("a", E1))), drops);

    var cluster = clusterImpl(tree(Samples.leaf(resource, endpoints)));

    assertThat(cluster.cluster()).isEqualTo("pay");
    assertThat(cluster.edsServiceName()).isEqualTo("svc");
    assertThat(cluster.maxRequests()).isEqualTo(77);
    assertThat(cluster.drops()).isEqualTo(drops);
  }

  @Conformance("A27-08")
  @ParameterizedTest
  @EnumSource(HealthStatus.class)
  void onlyHealthyAndUnknownEndpointsAreBalanced(HealthStatus health) {
    LbConfig tree =
        tree(
            Samples.eds(
                "pay",
                Samples.priorities(
                    Samples.locality("a", 1, Samples.endpoint(E1), Samples.endpoint(health, E2)))));

    boolean usable = EnumSet.of(HealthStatus.HEALTHY, HealthStatus.UNKNOWN).contains(health);
    assertThat(addresses(tree)).isEqualTo(usable ? List.of(E1, E2) : List.of(E1));
  }

  @Test
  void endpointsLeftOutForHealthAreSessionsAloneOrNobodys() {
    var cluster = Samples.cluster("pay", new ClusterSource.Eds("pay"));
    var sessions =
        new ClusterResource(
            cluster.name(),
            cluster.source(),
            cluster.policy(),
            cluster.limits(),
            cluster.outlierDetection(),
            new ClusterResource.Sessions(
                cluster.sessions().idleTimeout(),
                EnumSet.of(HealthStatus.HEALTHY, HealthStatus.DRAINING)));
    var override =
        (LbConfig.OverrideHost)
            clusterImpl(
                    tree(
                        Samples.leaf(
                            sessions,
                            Samples.priorities(
                                Samples.locality(
                                    "a",
                                    1,
                                    Samples.endpoint(E1),
                                    Samples.endpoint(HealthStatus.DRAINING, E2),
                                    Samples.endpoint(HealthStatus.UNHEALTHY, E3))))))
                .child();

    assertThat(override.sessionOnly())
        .extracting(backend -> backend.endpoint().address().toString())
        .containsExactly(E2);
    assertThat(override.unreachable())
        .extracting(backend -> backend.endpoint().address().toString())
        .containsExactly(E3);
  }

  @Test
  void aLocalityWithoutUsableEndpointsIsLeftOutAndSuchAPriorityFails() {
    var sick = Samples.endpoint(HealthStatus.UNHEALTHY, E1);
    LbConfig tree =
        tree(
            Samples.eds(
                "pay",
                Samples.endpoints(
                    List.of(
                        List.of(Samples.locality("a", 1, sick)),
                        List.of(),
                        List.of(Samples.locality("b", 1, sick), Samples.zone("c", E2))))));

    LbConfig.Priority priority = priority(tree);
    assertThat(priority.children())
        .extracting(child -> child.label() + " " + child.config().policy())
        .containsExactly("priority 0 failing", "priority 1 failing", "priority 2 weighted_target");
    var targets = ((LbConfig.WeightedTarget) priority.children().get(2).config()).targets();
    assertThat(targets)
        .extracting(LbConfig.Target::locality)
        .containsExactly(Samples.locality("c"));
  }

  @Test
  void aClusterWithoutUsableEndpointsSaysWhy() {
    assertThat(failureOf(Samples.endpoints(List.of()))).isEqualTo("it has no endpoint");
    assertThat(failureOf(Samples.endpoints(List.of(List.of())))).isEqualTo("it has no endpoint");
    assertThat(
            failureOf(
                Samples.priorities(
                    Samples.locality(
                        "a",
                        1,
                        Samples.endpoint(HealthStatus.DRAINING, E1),
                        Samples.endpoint(HealthStatus.UNHEALTHY, E2),
                        Samples.endpoint(HealthStatus.UNHEALTHY, E3)))))
        .isEqualTo("2 UNHEALTHY, 1 DRAINING");
    assertThat(
            failureOf(
                new EndpointSet(
                    "pay",
                    List.of(),
                    List.of(),
                    List.of("2 localities without load_balancing_weight"))))
        .isEqualTo("2 localities without load_balancing_weight");
  }

  private static String failureOf(EndpointSet unusable) {
    LbConfig balanced = balanced(tree(Samples.eds("pay", unusable)));
    if (balanced instanceof LbConfig.Priority priority) {
      balanced = priority.children().get(0).config();
    }
    var failing = (LbConfig.Failing) balanced;
    assertThat(failing.status().message())
        .startsWith("cluster \"pay\": contains no usable endpoint: ")
        .endsWith("; " + Samples.NOTE);
    return failing
        .status()
        .message()
        .replace("cluster \"pay\": contains no usable endpoint: ", "")
        .replace("; " + Samples.NOTE, "");
  }

  @Test
  void failedDiscoveryOfEndpointsIsTheReasonOfEveryFailure() {
    var leaf = Samples.undiscovered("pay", "endpoints \"pay\" do not exist");

    var failing = (LbConfig.Failing) balanced(tree(leaf));

    assertThat(failing.status().message())
        .isEqualTo("cluster \"pay\": endpoints \"pay\" do not exist; " + Samples.NOTE);
  }

  @Conformance("A37-02")
  @Test
  void aNameIsOneEndpointInOnePriorityUnderThePolicyOfItsCluster() {
    LbConfig tree = tree(Samples.dns("db", E1, E2));

    LbConfig.Priority priority = priority(tree);
    assertThat(priority.children()).hasSize(1);
    assertThat(priority.children().get(0).reresolves()).isTrue();
    var localities = (LbConfig.WeightedTarget) priority.children().get(0).config();
    assertThat(localities.targets()).hasSize(1);
    LbConfig endpoint = localities.targets().get(0).child();
    assertThat(endpoint.kind()).isEqualTo(BalancingPolicy.RoundRobin.class);
    assertThat(endpoint.backends()).hasSize(1);
  }

  @Test
  void aPolicyWithoutLocalitiesTakesThemAll() {
    var resource =
        Samples.cluster("pay", new ClusterSource.Eds("pay"), new BalancingPolicy.RoundRobin(), 9);
    List<LocalityEndpoints> localities = List.of(Samples.zone("a", E1), Samples.zone("b", E2));

    LbConfig tree = tree(Samples.leaf(resource, Samples.endpoints(List.of(localities))));

    var leaf = (LbConfig.Leaf) priority(tree).children().get(0).config();
    assertThat(leaf.backends())
        .extracting(backend -> backend.locality().zone())
        .containsExactly("a", "b");
  }

  /** A113's fixed-point product of shares: 1 is 2^31. */
  @Conformance({"A52-04", "A42-05"})
  @Test
  void aRingTakesAllLocalitiesAndMultipliesShares() {
    var settings = new BalancingPolicy.RingHash(1024, 4096, "");
    var resource = Samples.cluster("pay", new ClusterSource.Eds("pay"), settings, 9);
    List<LocalityEndpoints> localities =
        List.of(
            Samples.locality("a", 3, weighted(E1, 2), weighted(E2, 6)),
            Samples.locality("b", 1, weighted(E3, 1_000_000)));

    LbConfig tree = tree(Samples.leaf(resource, Samples.endpoints(List.of(localities))));

    var leaf = (LbConfig.Leaf) priority(tree).children().get(0).config();
    long one = 1L << 31;
    assertThat(leaf.settings()).isEqualTo(settings);
    assertThat(leaf.weights().sharesOf(leaf.backends()))
        .containsExactly(one * 3 / 16, one * 9 / 16, one / 4);
  }

  @Test
  void aWeightIsNeverZero() {
    var resource =
        Samples.cluster(
            "pay", new ClusterSource.Eds("pay"), new BalancingPolicy.PickFirst(true), 9);
    long most = 0xFFFF_FFFFL;
    List<LocalityEndpoints> localities =
        List.of(
            Samples.locality("a", 1, weighted(E1, 1), weighted(E2, most)),
            Samples.locality("b", most - 1, weighted(E3, most)));

    LbConfig tree = tree(Samples.leaf(resource, Samples.endpoints(List.of(localities))));

    var leaf = (LbConfig.Leaf) priority(tree).children().get(0).config();
    assertThat(leaf.weights().sharesOf(leaf.backends())).containsExactly(1L, 1L, (1L << 31) - 1);
  }

  @Conformance("A52-04")
  @Test
  void leastRequestWithinLocalitiesByWeight() {
    var policy = new BalancingPolicy.WrrLocality(new BalancingPolicy.LeastRequest(3));
    var resource = Samples.cluster("pay", new ClusterSource.Eds("pay"), policy, 9);

    LbConfig tree = tree(Samples.leaf(resource, Samples.priorities(Samples.zone("a", E1, E2))));

    var target = (LbConfig.WeightedTarget) priority(tree).children().get(0).config();
    var leaf = (LbConfig.Leaf) target.targets().get(0).child();
    assertThat(leaf.settings()).isEqualTo(new BalancingPolicy.LeastRequest(3));
    assertThat(leaf.backends()).hasSize(2);
  }

  private static Endpoint weighted(String address, long weight) {
    return new Endpoint(List.of(Samples.address(address)), HealthStatus.HEALTHY, weight, "");
  }

  @Conformance({"A75-02", "A75-22"})
  @Test
  void anAggregateIsAListOfWholeLeaves() {
    var first =
        Samples.leaf(
            Samples.cluster(
                "a", new ClusterSource.Eds("a"), new BalancingPolicy.PickFirst(false), 3),
            Samples.priorities(Samples.zone("z", E1)));
    var second = Samples.dns("b", E2);

    var tree =
        (LbConfig.Priority)
            trees(Samples.config(Set.of(), first, second, Samples.aggregate("all", "a", "b")))
                .tree("all");

    assertThat(tree.children()).extracting(LbConfig.Child::name).containsExactly("a", "b");
    assertThat(tree.children()).extracting(LbConfig.Child::reresolves).containsExactly(false, true);
    assertThat(tree.children().get(0).config()).isEqualTo(tree(first));
    assertThat(clusterImpl(tree.children().get(0).config()).maxRequests()).isEqualTo(3);
    assertThat(clusterImpl(tree.children().get(1).config()).maxRequests())
        .isEqualTo(ClusterResource.Limits.DEFAULT.maxRequests());
  }

  @Test
  void anAggregateWithoutUsableLeavesIsUnusable() {
    LbConfig tree = ClusterTree.aggregate(Samples.aggregate("all", "a"), List.of());

    assertThat(tree)
        .isEqualTo(
            new LbConfig.Failing(
                RpcStatus.unavailable(
                    "cluster \"all\": none of its clusters is usable; " + Samples.NOTE),
                true));
  }

  @Test
  void onlyWhatChangedIsBuiltAgain() {
    var trees = new LbConfigCache(false);
    var a = Samples.eds("a", E1);
    var b = Samples.eds("b", E2);
    trees.update(Samples.config(Set.of("a"), a, b).clusters());
    LbConfig treeOfA = trees.tree("a");
    LbConfig treeOfB = trees.tree("b");

    trees.update(
        Samples.config(Set.of("a"), Samples.eds("a", E1), Samples.eds("b", E3)).clusters());

    assertThat(trees.tree("a")).isSameAs(treeOfA);
    assertThat(trees.tree("b")).isNotEqualTo(treeOfB);
  }

  private static LbConfig tree(ClusterConfig.Leaf leaf) {
    return trees(Samples.config(Set.of(), leaf)).tree(leaf.cluster().name());
  }

  private static LbConfigCache trees(XdsConfig config) {
    var trees = new LbConfigCache(false);
    trees.replace(config.clusters());
    return trees;
  }

  private static LbConfig.ClusterImpl clusterImpl(LbConfig tree) {
    return (LbConfig.ClusterImpl) ((LbConfig.OutlierDetecting) tree).child();
  }

  private static LbConfig balanced(LbConfig tree) {
    return ((LbConfig.OverrideHost) clusterImpl(tree).child()).child();
  }

  private static LbConfig.Priority priority(LbConfig tree) {
    return (LbConfig.Priority) balanced(tree);
  }

  private static List<String> addresses(LbConfig tree) {
    return tree.backends().stream()
        .map(backend -> backend.endpoint().address())
        .map(EndpointAddress::toString)
        .toList();
  }
}
