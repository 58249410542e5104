package io.outrigger.lb.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.config.route.Fraction;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Odds;
import io.outrigger.lb.testing.PlannedTestCall;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a plan says is what picks do, for every policy and for trees in any state: who is picked is
 * in the plan, as often as it says.
 */
class PickPlanPropertiesTest {
  private static final int PICKS = 3000;
  private static final List<BalancingPolicy> POLICIES =
      List.of(
          ClusterResource.DEFAULT_POLICY,
          new BalancingPolicy.RoundRobin(),
          new BalancingPolicy.PickFirst(false),
          new BalancingPolicy.LeastRequest(2),
          new BalancingPolicy.LeastRequest(3),
          new BalancingPolicy.RingHash(64, 4096, ""),
          new BalancingPolicy.RingHash(64, 4096, "x-user"),
          new BalancingPolicy.WrrLocality(new BalancingPolicy.LeastRequest(2)),
          new BalancingPolicy.RandomSubsetting(2, ClusterResource.DEFAULT_POLICY),
          ClusterResource.DEFAULT_POLICY);

  private final LbScript lb = new LbScript();

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18})
  void picksFollowThePlan(long seed) {
    var random = new Random(seed);
    BalancingPolicy policy = POLICIES.get((int) (seed % POLICIES.size()));
    build(policy, random);
    Picker picker = lb.handle("a").picker();
    boolean hasHash = random.nextBoolean();
    long hash = random.nextLong();
    Map<String, String> headers = random.nextBoolean() ? Map.of("x-user", "u" + seed) : Map.of();

    var asked =
        new PlannedTestCall(hasHash ? OptionalLong.of(hash) : OptionalLong.empty(), headers);
    List<Odds> odds = Odds.of(picker.plan(asked));
    Map<String, Double> planned = new TreeMap<>();
    odds.forEach(each -> planned.merge(text(each.result()), each.probability(), Double::sum));

    Map<String, Double> picked = new HashMap<>();
    for (int i = 0; i < PICKS; i++) {
      var call = new TestCall(i % LbScript.LOOPS, hasHash ? hash : random.nextLong(), headers);
      PickResult result = picker.pick(call);
      picked.merge(text(result), 1.0 / PICKS, Double::sum);
      if (result instanceof PickResult.Use use) {
        use.subchannel().callEnded(call, CallOutcome.SUCCESS);
      }
    }

    assertThat(planned.values().stream().mapToDouble(d -> d).sum()).isCloseTo(1, within(1e-9));
    assertThat(planned.keySet()).as("%s", policy).containsAll(picked.keySet());
    planned.forEach(
        (result, share) ->
            assertThat(picked.getOrDefault(result, 0.0))
                .as("%s of %s, planned %s", result, policy, planned)
                .isCloseTo(share, within(0.05)));
  }

  /** Two priorities, two localities, drops; some endpoints connect, some fail, some do neither. */
  private void build(BalancingPolicy policy, Random random) {
    List<List<LocalityEndpoints>> priorities = new ArrayList<>();
    List<String> addresses = new ArrayList<>();
    for (int priority = 0; priority < 2; priority++) {
      List<LocalityEndpoints> localities = new ArrayList<>();
      for (int zone = 0; zone < 2; zone++) {
        String prefix = "10." + priority + "." + zone + ".";
        List<io.outrigger.config.endpoint.Endpoint> endpoints = new ArrayList<>();
        for (int i = 1; i <= 1 + random.nextInt(4); i++) {
          addresses.add(prefix + i + ":80");
          endpoints.add(Samples.endpoint(prefix + i + ":80"));
        }
        localities.add(
            new LocalityEndpoints(Samples.locality("z" + zone), 1 + random.nextInt(5), endpoints));
      }
      priorities.add(localities);
    }
    var drop = new DropCategory("lb", new Fraction(random.nextInt(40), 100));
    EndpointSet endpoints = Samples.endpoints(priorities, drop);
    var cluster = Samples.cluster("a", new ClusterSource.Eds("a"), policy, 1000);
    lb.apply(Samples.config(Set.of("a"), Samples.leaf(cluster, endpoints)));
    Set<String> ready = new HashSet<>();
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 4; i++) { // some policies connect when they are asked
        lb.handle("a").picker().pick(new TestCall(0, random.nextLong(), Map.of()));
        lb.loop().run();
      }
      for (String address : addresses) {
        boolean isConnecting = lb.open().contains(address) && !ready.contains(address);
        if (isConnecting && random.nextInt(3) > 0) {
          lb.ready(address);
          ready.add(address);
        } else if (isConnecting && random.nextBoolean()) {
          lb.end(address);
        }
      }
    }
  }

  @Test
  void aFullBreakerIsInThePlan() {
    var cluster =
        Samples.cluster("a", new ClusterSource.Eds("a"), ClusterResource.DEFAULT_POLICY, 2);
    lb.apply(
        Samples.config(
            Set.of("a"),
            Samples.leaf(cluster, Samples.priorities(Samples.zone("z", "10.0.0.1:80")))));
    lb.ready("10.0.0.1:80");
    Subchannel first = lb.start("a");
    Subchannel second = lb.start("a");

    Odds full = plan().get(0);
    assertThat(full.result()).isEqualTo(lb.pick("a"));
    assertThat(full.result()).isInstanceOf(PickResult.Drop.class);

    first.callEnded(TestCall.CALL, CallOutcome.SUCCESS);
    second.callEnded(TestCall.CALL, CallOutcome.SUCCESS);
    assertThat(plan().get(0).result()).isInstanceOf(PickResult.Use.class);
  }

  @Test
  void aPlanConnectsNothingAndCountsNothing() {
    var cluster =
        Samples.cluster(
            "a", new ClusterSource.Eds("a"), new BalancingPolicy.RingHash(4, 16, ""), 100);
    lb.apply(
        Samples.config(
            Set.of("a"),
            Samples.leaf(cluster, Samples.priorities(Samples.zone("z", "10.0.0.1:80")))));

    assertThat(plan().get(0).result()).isInstanceOf(PickResult.Queue.class);
    lb.loop().run();

    assertThat(lb.open()).isEmpty();
    assertThat(lb.state("a")).isEqualTo(Connectivity.IDLE);
  }

  private List<Odds> plan() {
    return Odds.of(lb.handle("a").picker().plan(new PlannedTestCall(OptionalLong.of(7), Map.of())));
  }

  private static String text(PickResult result) {
    return result instanceof PickResult.Use use
        ? use.subchannel().address().toString()
        : result.toString();
  }
}
