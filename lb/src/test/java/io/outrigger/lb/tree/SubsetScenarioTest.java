package io.outrigger.lb.tree;

import static io.outrigger.lb.testing.Samples.endpoint;
import static io.outrigger.lb.testing.Samples.locality;
import static io.outrigger.lb.testing.Samples.priorities;
import static io.outrigger.lb.testing.Samples.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.Detections;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.SessionCall;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.LbNode;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A random subset in the whole tree of a cluster (A68). */
class SubsetScenarioTest {
  private static final List<String> TWELVE =
      IntStream.rangeClosed(1, 12).mapToObj(i -> "10.0.0." + i + ":80").toList();

  private final LbScript lb = new LbScript();
  private BalancingPolicy child = new BalancingPolicy.RoundRobin();
  private Optional<OutlierDetection> detection = Optional.empty();
  private Set<HealthStatus> statuses = Set.of();

  @Conformance({"A68-02", "A68-03"})
  @Test
  void onlyMembersAreConnectedAndOneThatLeavesIsReplaced() {
    apply(3, TWELVE);
    Set<String> members = members();
    assertThat(members).hasSize(3);
    lb.loop().inside(() -> lb.connector().readyAll());
    assertThat(lb.shares("pay", 30)).containsOnlyKeys(members.toArray(String[]::new));

    String gone = members.iterator().next();
    List<String> left = new ArrayList<>(TWELVE);
    left.remove(gone);
    apply(3, left);

    Set<String> next = members();
    assertThat(next).hasSize(3).doesNotContain(gone);
    next.removeAll(members);
    assertThat(next).hasSize(1);
    for (String stays : members()) {
      assertThat(lb.connector().count(stays)).isEqualTo(1);
    }
  }

  @Conformance("A68-02")
  @Test
  void aRepushConnectsNobodyElse() {
    apply(3, TWELVE);
    lb.loop().inside(() -> lb.connector().readyAll());
    Set<String> members = members();

    apply(3, TWELVE);

    assertThat(members()).isEqualTo(members);
  }

  /** Health is EDS's word: who may not be reached is not chosen either, as if it had left. */
  @Conformance("A68-03")
  @Test
  void anUnhealthyEndpointGivesItsPlaceToAnother() {
    apply(3, TWELVE);
    String sick = members().iterator().next();

    apply(
        3,
        priorities(
            locality(
                "z",
                1,
                TWELVE.stream()
                    .map(
                        address ->
                            address.equals(sick)
                                ? endpoint(HealthStatus.UNHEALTHY, address)
                                : endpoint(address))
                    .toArray(Endpoint[]::new))));

    assertThat(members()).hasSize(3).doesNotContain(sick);
  }

  /**
   * The size takes an ejected endpoint out of the subset and back in: it is still ejected, for the
   * same time, since it was in EDS all along.
   */
  @Conformance("A68-03")
  @Test
  void outlierDetectionKnowsAnEndpointThatLeavesTheSubsetAndReturns() {
    detection = Optional.of(Detections.failing(50));
    apply(3, TWELVE);
    lb.loop().inside(() -> lb.connector().readyAll());
    String last = lastMember(3);
    lb.traffic("pay", 60, last::equals);
    lb.advance(Duration.ofSeconds(10));
    LbEndpoint.Ejection ejected = ejection(last).orElseThrow();
    assertThat(lb.shares("pay", 30)).doesNotContainKey(last);

    apply(2, TWELVE);
    lb.loop().inside(() -> lb.connector().readyAll());
    assertThat(members()).doesNotContain(last);
    assertThat(ejection(last)).contains(ejected);
    apply(3, TWELVE);
    lb.loop().inside(() -> lb.connector().readyAll());

    assertThat(ejection(last)).contains(ejected);
    assertThat(lb.open()).contains(last);
    assertThat(lb.shares("pay", 30)).doesNotContainKey(last);
    lb.advance(Duration.ofSeconds(40));
    assertThat(lb.shares("pay", 30)).containsKey(last);
  }

  /** Then it is another endpoint (A50-40). */
  @Conformance("A68-03")
  @Test
  void outlierDetectionForgetsAnEndpointThatLeavesEds() {
    detection = Optional.of(Detections.failing(50));
    apply(3, TWELVE);
    lb.loop().inside(() -> lb.connector().readyAll());
    String last = lastMember(3);
    lb.traffic("pay", 60, last::equals);
    lb.advance(Duration.ofSeconds(10));
    assertThat(ejection(last)).isPresent();

    List<String> left = new ArrayList<>(TWELVE);
    left.remove(last);
    apply(3, left);
    apply(3, TWELVE);
    lb.loop().inside(() -> lb.connector().readyAll());

    assertThat(ejection(last)).isEmpty();
    assertThat(lb.shares("pay", 30)).containsKey(last);
  }

  /** A75-29: a session goes to the endpoint that it had, whoever balances it. */
  @Conformance("A68-03")
  @Test
  void aSessionReachesItsEndpointOutsideOfTheSubset() {
    statuses = Set.of(HealthStatus.UNKNOWN, HealthStatus.HEALTHY);
    apply(3, TWELVE);
    lb.loop().inside(() -> lb.connector().readyAll());
    Set<String> members = members();
    String outside =
        TWELVE.stream().filter(each -> !members.contains(each)).findFirst().orElseThrow();

    lb.pick("pay", SessionCall.to(outside));
    assertThat(lb.pick("pay", SessionCall.to(outside))).isInstanceOf(PickResult.Queue.class);
    lb.ready(outside);

    assertThat(lb.pick("pay", SessionCall.to(outside))).isInstanceOf(PickResult.Use.class);
    assertThat(lb.shares("pay", 30)).doesNotContainKey(outside);
    assertThat(lb.endpoint("pay", outside).state()).isEqualTo(Connectivity.READY);
  }

  @Test
  void withinLocalitiesEachHasASubsetOfItsOwn() {
    EndpointSet endpoints =
        Samples.endpoints(
            List.of(
                List.of(
                    zone("a", TWELVE.subList(0, 6).toArray(String[]::new)),
                    zone("b", TWELVE.subList(6, 12).toArray(String[]::new)))));
    apply(
        new BalancingPolicy.WrrLocality(new BalancingPolicy.RandomSubsetting(2, child)), endpoints);

    assertThat(members()).hasSize(4);
    assertThat(members()).filteredOn(each -> TWELVE.indexOf(each) < 6).hasSize(2);
  }

  @Test
  void aboveLocalitiesThereIsOneSubset() {
    child = new BalancingPolicy.WrrLocality(child);
    apply(
        3,
        Samples.endpoints(
            List.of(
                List.of(
                    zone("a", TWELVE.subList(0, 6).toArray(String[]::new)),
                    zone("b", TWELVE.subList(6, 12).toArray(String[]::new))))));

    assertThat(members()).hasSize(3);
  }

  @Test
  void aRingOfASubsetConnectsMembersOnly() {
    child = new BalancingPolicy.RingHash(1024, 4096, "");
    apply(3, TWELVE);

    for (int i = 0; i < 50; i++) {
      lb.pick("pay");
      lb.loop().inside(() -> lb.connector().readyAll());
    }

    assertThat(members()).hasSizeBetween(1, 3);
    assertThat(lb.state("pay")).isEqualTo(Connectivity.READY);
  }

  /** A52-05: the members of the old policy serve until the new one is ready. */
  @Test
  void thePolicyBeneathChangesGracefully() {
    apply(3, TWELVE);
    lb.loop().inside(() -> lb.connector().readyAll());
    Set<String> members = members();

    child = new BalancingPolicy.LeastRequest(2);
    apply(3, TWELVE);

    assertThat(members()).isEqualTo(members);
    assertThat(lb.state("pay")).isEqualTo(Connectivity.READY);
    assertThat(find(lb.describe("pay"), "least_request")).isPresent();
  }

  @Test
  void nothingIsDetectedUnderASubsetOfPickFirst() {
    detection = Optional.of(Detections.failing(50));
    child = new BalancingPolicy.PickFirst(false);
    apply(3, TWELVE);

    assertThat(lb.describe("pay").config()).isEmpty();
    assertThat(members()).hasSize(1);
  }

  @Test
  void viewsSayHowManyOfHowMany() {
    apply(3, TWELVE);

    LbNode node = find(lb.describe("pay"), "random_subsetting").orElseThrow();
    assertThat(node.detail()).isEqualTo("3 of 12 endpoints");
    assertThat(node.children().get(0).policy()).isEqualTo("round_robin");
    assertThat(node.children().get(0).endpoints()).hasSize(3);
    assertThat(node.endpoints()).hasSize(9);
  }

  private static Optional<LbNode> find(LbNode node, String policy) {
    return node.policy().equals(policy)
        ? Optional.of(node)
        : node.children().stream().flatMap(each -> find(each, policy).stream()).findFirst();
  }

  private Optional<LbEndpoint.Ejection> ejection(String address) {
    return lb.endpoint("pay", address).detection().ejection();
  }

  /** The member that a subset of one less would not have. */
  private String lastMember(int size) {
    Set<String> members = members();
    LbScript other = new LbScript(); // with the same seed of randomness
    other.apply(config(new BalancingPolicy.RandomSubsetting(size - 1, child), set(TWELVE)));
    members.removeAll(other.open());
    assertThat(members).hasSize(1);
    return members.iterator().next();
  }

  private Set<String> members() {
    return new HashSet<>(lb.open());
  }

  private static EndpointSet set(List<String> addresses) {
    return priorities(zone("z", addresses.toArray(String[]::new)));
  }

  private void apply(int size, List<String> addresses) {
    apply(size, set(addresses));
  }

  private void apply(int size, EndpointSet endpoints) {
    apply(new BalancingPolicy.RandomSubsetting(size, child), endpoints);
  }

  private void apply(BalancingPolicy policy, EndpointSet endpoints) {
    lb.apply(config(policy, endpoints));
  }

  private XdsConfig config(BalancingPolicy policy, EndpointSet endpoints) {
    var cluster =
        new ClusterResource(
            "pay",
            new ClusterSource.Eds("pay"),
            policy,
            ClusterResource.Limits.DEFAULT,
            detection,
            new ClusterResource.Sessions(Duration.ofSeconds(60), statuses));
    return Samples.config(Set.of("pay"), Samples.leaf(cluster, endpoints));
  }
}
