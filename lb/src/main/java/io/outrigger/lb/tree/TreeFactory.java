package io.outrigger.lb.tree;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PolicyFactory;
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

/** Creates the policy for every kind of configuration; no other class knows all policies. */
@ControlConfined
final class TreeFactory implements PolicyFactory {
  private final PolicyRegistry policies;
  private boolean namesPriorities;

  TreeFactory(LbContext context, CircuitBreakers breakers, LoadRegistry loads) {
    this.policies =
        LeafPolicies.registry(context)
            .node(
                LbConfig.Priority.class,
                (config, parent) ->
                    new PriorityPolicy(context, this, config, parent, namesPriorities))
            .node(
                LbConfig.OutlierDetecting.class,
                (config, parent) -> new OutlierDetectionPolicy(context, this, config, parent))
            .node(
                LbConfig.ClusterImpl.class,
                (config, parent) ->
                    new ClusterImplPolicy(context, this, breakers, loads, config, parent))
            .node(
                LbConfig.OverrideHost.class,
                (config, parent) -> new OverrideHostPolicy(context.control(), this, config, parent))
            .node(
                LbConfig.WeightedTarget.class,
                (config, parent) ->
                    new WeightedTargetPolicy(this, context.random(), config, parent))
            .node(
                LbConfig.RandomSubset.class,
                (config, parent) ->
                    new RandomSubsettingPolicy(this, context.random(), config, parent))
            .complete();
  }

  /** Adds the priority to the reason of calls that wait (A121). */
  void namePriorities() {
    namesPriorities = true;
  }

  @Override
  public LbPolicy create(LbConfig config, LbParent parent) {
    return policies.create(config, parent);
  }
}
