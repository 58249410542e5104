package io.outrigger.lb.subset;

import static io.outrigger.lb.testing.Samples.address;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PolicyFactory;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.config.LocalityWeights;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.FakePolicies;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.NodeVisitor;
import io.outrigger.testing.Conformance;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RandomSubsettingPolicyTest {
  private static final FailureNote NOTE = new FailureNote("pay", "");
  private static final long SEED = 42;

  private final FakeParent parent = new FakeParent();
  private final List<LbConfig> given = new ArrayList<>();

  /** Keeps what its children are configured with. */
  private final PolicyFactory recording =
      (config, above) ->
          new LbPolicy() {
            @Override
            public void update(LbConfig next) {
              given.add(next);
            }

            @Override
            public void close() {}

            @Override
            public void accept(NodeVisitor visitor, String name, boolean isUsed) {
              visitor.notStarted(name, config);
            }
          };

  @Conformance("A68-02")
  @Test
  void theChildHasTheMembersInTheOrderOfTheirHashes() {
    List<Backend> all = backends(0, 20);
    RandomSubsettingPolicy policy = policy(recording);

    update(policy, 3, roundRobin(all));

    assertThat(last()).isEqualTo(roundRobin(new Ranking(SEED).lowest(all, 3)));
  }

  @Conformance("A68-02")
  @Test
  void aRepushChangesNothing() {
    RandomSubsettingPolicy policy = policy(recording);
    update(policy, 3, roundRobin(backends(0, 20)));

    update(policy, 3, roundRobin(backends(0, 20)));
    List<Backend> turned = new ArrayList<>(backends(0, 20));
    Collections.reverse(turned);
    update(policy, 3, roundRobin(turned));

    assertThat(given).hasSize(1);
  }

  @Conformance("A68-02")
  @Test
  void theSeedIsDrawnOnce() {
    RandomSubsettingPolicy policy = policy(recording);
    update(policy, 3, roundRobin(backends(0, 20)));
    List<Backend> before = last().backends();
    parent.random().next(Purpose.SUBSET, 7); // to nobody

    update(policy, 4, roundRobin(backends(0, 20)));
    update(policy, 3, roundRobin(backends(0, 20)));
    update(policy, 3, roundRobin(backends(5, 25)));
    update(policy, 3, roundRobin(backends(0, 20)));

    assertThat(last().backends()).isEqualTo(before);
  }

  @Test
  void aLargerSubsetHasTheSmallerOneInIt() {
    RandomSubsettingPolicy policy = policy(recording);
    update(policy, 3, roundRobin(backends(0, 20)));
    List<Backend> three = last().backends();

    update(policy, 5, roundRobin(backends(0, 20)));
    assertThat(last().backends()).hasSize(5).containsAll(three);
    update(policy, 50, roundRobin(backends(0, 20)));
    assertThat(last()).isEqualTo(roundRobin(backends(0, 20)));
  }

  /** A68: attributes are passed on as they are. */
  @Conformance("A68-02")
  @Test
  void localitiesWithoutMembersAreLeftOutAndWeightsStay() {
    List<Backend> a = backends(0, 10, "a");
    List<Backend> b = backends(10, 20, "b");
    var all =
        new LbConfig.WeightedTarget(
            List.of(
                new LbConfig.Target(Samples.locality("a"), 3, roundRobin(a)),
                new LbConfig.Target(Samples.locality("b"), 1, roundRobin(b))));
    RandomSubsettingPolicy policy = policy(recording);

    update(policy, 1, all);
    Backend only = new Ranking(SEED).lowest(all.backends(), 1).get(0);
    long weight = only.locality().equals(Samples.locality("a")) ? 3 : 1;
    assertThat(last())
        .isEqualTo(
            new LbConfig.WeightedTarget(
                List.of(new LbConfig.Target(only.locality(), weight, roundRobin(List.of(only))))));

    update(policy, 15, all);
    assertThat(((LbConfig.WeightedTarget) last()).targets())
        .extracting(LbConfig.Target::weight)
        .containsExactly(3L, 1L);
    assertThat(last().backends()).hasSize(15).isSubsetOf(all.backends());
  }

  /** A113: an endpoint of a small locality stays the heavier one. */
  @Conformance("A68-02")
  @Test
  void endpointsWeighWhatTheyWeighAmongAll() {
    List<Backend> all = new ArrayList<>(backends(0, 2, "a"));
    all.addAll(backends(2, 22, "b"));
    var weights = new LocalityWeights(Map.of(Samples.locality("a"), 1L, Samples.locality("b"), 1L));
    long[] whole = weights.sharesOf(all);
    RandomSubsettingPolicy policy = policy(recording);

    update(
        policy, 21, new LbConfig.Leaf(new BalancingPolicy.PickFirst(true), all, weights, NOTE, ""));

    var leaf = (LbConfig.Leaf) last();
    long[] shares = leaf.weights().sharesOf(leaf.backends());
    for (int i = 0; i < shares.length; i++) {
      assertThat(shares[i]).isEqualTo(whole[all.indexOf(leaf.backends().get(i))]);
    }
    assertThat(whole[0] / whole[2]).isBetween(9L, 10L); // rounded down
  }

  @Test
  void subsetsNest() {
    RandomSubsettingPolicy policy = policy(recording);

    update(policy, 5, new LbConfig.RandomSubset(2, roundRobin(backends(0, 20))));

    assertThat(last())
        .isEqualTo(
            new LbConfig.RandomSubset(2, roundRobin(new Ranking(SEED).lowest(backends(0, 20), 5))));
  }

  /** Nothing is on the way of a pick. */
  @Test
  void thePickerIsThatOfTheChild() {
    var children = new FakePolicies();
    RandomSubsettingPolicy policy = policy(children);
    update(policy, 3, roundRobin(backends(0, 20)));

    var pickers = new ArrayList<FakePolicies.NamedPicker>();
    parent.loop().inside(() -> pickers.add(children.get("pay").publish(Connectivity.READY)));

    assertThat(parent.picker()).isSameAs(pickers.get(0));
    parent.loop().inside(children.get("pay")::requestReresolution);
    assertThat(parent.reresolutions()).isEqualTo(1);
    parent.loop().inside(policy::close);
    assertThat(children.get("pay").isClosed()).isTrue();
  }

  @Test
  void viewsTellMembersFromTheRest() {
    RandomSubsettingPolicy policy = policy(recording);
    update(policy, 3, roundRobin(backends(0, 20)));

    LbNode node = Samples.describe(policy, "pay");
    assertThat(node.policy()).isEqualTo("random_subsetting");
    assertThat(node.config()).isEqualTo(Map.of("subset_size", 3L));
    assertThat(node.detail()).isEqualTo("3 of 20 endpoints");
    assertThat(node.children()).hasSize(1);
    assertThat(node.endpoints())
        .hasSize(17)
        .noneMatch(
            endpoint ->
                last().backends().stream()
                    .anyMatch(member -> member.endpoint().address().equals(endpoint.address())));
    var tally = new EndpointTally();
    policy.accept(tally, "", true);
    assertThat(tally.all()).as("also those outside of the subset").isEqualTo(20);
  }

  private RandomSubsettingPolicy policy(PolicyFactory factory) {
    parent.random().next(Purpose.SUBSET, SEED);
    return new RandomSubsettingPolicy(
        factory, parent.random(), new LbConfig.RandomSubset(1, roundRobin(List.of())), parent);
  }

  private void update(LbPolicy policy, long size, LbConfig child) {
    parent.loop().inside(() -> policy.update(new LbConfig.RandomSubset(size, child)));
  }

  private LbConfig last() {
    return given.get(given.size() - 1);
  }

  private static LbConfig roundRobin(List<Backend> backends) {
    return new LbConfig.Leaf(
        new BalancingPolicy.RoundRobin(), backends, LocalityWeights.EQUAL, NOTE, "");
  }

  private static List<Backend> backends(int from, int to) {
    return backends(from, to, "z");
  }

  private static List<Backend> backends(int from, int to, String zone) {
    return IntStream.range(from, to)
        .mapToObj(
            i ->
                new Backend(
                    new Endpoint(
                        List.of(address("10.0.0." + (1 + i) + ":80")), HealthStatus.HEALTHY, 1, ""),
                    Samples.locality(zone),
                    0))
        .toList();
  }
}
