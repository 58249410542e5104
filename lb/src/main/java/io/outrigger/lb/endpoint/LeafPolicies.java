package io.outrigger.lb.endpoint;

import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.PolicyRegistry;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.endpoint.least.LeastRequestPolicy;
import io.outrigger.lb.endpoint.ring.RingHashPolicy;
import io.outrigger.lb.endpoint.weighted.WeightedRoundRobinPolicy;
import io.outrigger.lb.view.LbObserver;

/**
 * The leaf policies: those that pick endpoints, and those that fail calls because there is no
 * endpoint.
 */
public final class LeafPolicies {
  private LeafPolicies() {}

  /** Creates a registry of all leaf policies, for calls from {@code loops} event loops. */
  public static PolicyRegistry registry(
      ControlLoop control, RandomSource random, LbObserver observer, int loops) {
    return new PolicyRegistry()
        .leaf(
            BalancingPolicy.RoundRobin.class,
            (config, parent) -> new RoundRobinPolicy(control, random, loops, config, parent))
        .leaf(
            BalancingPolicy.PickFirst.class,
            (config, parent) -> new PickFirstPolicy(control, random, config, parent))
        .leaf(
            BalancingPolicy.RingHash.class,
            (config, parent) -> new RingHashPolicy(control, random, config, parent))
        .leaf(
            BalancingPolicy.LeastRequest.class,
            (config, parent) -> new LeastRequestPolicy(control, random, config, parent))
        .leaf(
            BalancingPolicy.WeightedRoundRobin.class,
            (config, parent) ->
                new WeightedRoundRobinPolicy(control, random, observer, loops, config, parent))
        .node(LbConfig.Failing.class, (config, parent) -> new FailingPolicy(parent, config))
        .node(LbConfig.Refusing.class, (config, parent) -> new FailingPolicy(parent, config));
  }
}
