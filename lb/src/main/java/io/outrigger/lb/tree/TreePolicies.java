package io.outrigger.lb.tree;

import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.PolicyRegistry;
import io.outrigger.lb.cluster.ClusterImplPolicy;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.endpoint.LeafPolicies;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.locality.WeightedTargetPolicy;
import io.outrigger.lb.outlier.OutlierDetectionPolicy;
import io.outrigger.lb.override.OverrideHostPolicy;
import io.outrigger.lb.priority.PriorityPolicy;
import io.outrigger.lb.subset.RandomSubsettingPolicy;

/** Registers the policy for every kind of configuration; no other class knows all policies. */
final class TreePolicies {
  private TreePolicies() {}

  static PolicyRegistry registry(LbContext context, CircuitBreakers breakers, LoadRegistry loads) {
    PolicyRegistry all = LeafPolicies.registry(context);
    return all.node(
            LbConfig.Priority.class,
            (config, parent) -> new PriorityPolicy(context, all, config, parent))
        .node(
            LbConfig.OutlierDetecting.class,
            (config, parent) -> new OutlierDetectionPolicy(context, all, config, parent))
        .node(
            LbConfig.ClusterImpl.class,
            (config, parent) ->
                new ClusterImplPolicy(context, all, breakers, loads, config, parent))
        .node(
            LbConfig.OverrideHost.class,
            (config, parent) -> new OverrideHostPolicy(context.control(), all, config, parent))
        .node(
            LbConfig.WeightedTarget.class,
            (config, parent) -> new WeightedTargetPolicy(all, context.random(), config, parent))
        .node(
            LbConfig.RandomSubset.class,
            (config, parent) -> new RandomSubsettingPolicy(all, context.random(), config, parent))
        .complete();
  }
}
