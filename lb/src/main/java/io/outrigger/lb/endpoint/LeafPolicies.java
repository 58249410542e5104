package io.outrigger.lb.endpoint;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.PolicyRegistry;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.endpoint.least.LeastRequestPolicy;
import io.outrigger.lb.endpoint.ring.RingHashPolicy;
import io.outrigger.lb.endpoint.weighted.WeightedRoundRobinPolicy;

/**
 * The leaf policies: those that pick endpoints, and those that fail calls because there is no
 * endpoint.
 */
public final class LeafPolicies {
  private LeafPolicies() {}

  public static PolicyRegistry registry(LbContext context) {
    return new PolicyRegistry()
        .leaf(
            BalancingPolicy.RoundRobin.class,
            (config, parent) -> new RoundRobinPolicy(context, config, parent))
        .leaf(
            BalancingPolicy.PickFirst.class,
            (config, parent) -> new PickFirstPolicy(context, config, parent))
        .leaf(
            BalancingPolicy.RingHash.class,
            (config, parent) -> new RingHashPolicy(context, config, parent))
        .leaf(
            BalancingPolicy.LeastRequest.class,
            (config, parent) -> new LeastRequestPolicy(context, config, parent))
        .leaf(
            BalancingPolicy.WeightedRoundRobin.class,
            (config, parent) -> new WeightedRoundRobinPolicy(context, config, parent))
        .node(LbConfig.Failing.class, (config, parent) -> new FailingPolicy(parent, config));
  }
}
