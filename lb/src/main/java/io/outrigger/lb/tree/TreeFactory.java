package io.outrigger.lb.tree;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.lb.CircuitBreakers;
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
import io.outrigger.lb.view.LbObserver;

/** Creates the policy for every kind of configuration; no other class knows all policies. */
@ControlConfined
final class TreeFactory implements PolicyFactory {
  private final PolicyRegistry policies;
  private boolean namesPriorities;

  TreeFactory(
      ControlLoop control,
      RandomSource random,
      CircuitBreakers breakers,
      LoadRegistry loads,
      LbObserver observer,
      int loops) {
    this.policies =
        LeafPolicies.registry(control, random, observer, loops)
            .node(
                LbConfig.Priority.class,
                (config, parent) ->
                    new PriorityPolicy(control, observer, this, config, parent, namesPriorities))
            .node(
                LbConfig.OutlierDetecting.class,
                (config, parent) ->
                    new OutlierDetectionPolicy(
                        control, random, observer, loops, this, config, parent))
            .node(
                LbConfig.ClusterImpl.class,
                (config, parent) ->
                    new ClusterImplPolicy(
                        this, random, breakers, loads, observer, loops, config, parent))
            .node(
                LbConfig.OverrideHost.class,
                (config, parent) -> new OverrideHostPolicy(control, this, config, parent))
            .node(
                LbConfig.WeightedTarget.class,
                (config, parent) -> new WeightedTargetPolicy(this, random, config, parent))
            .node(
                LbConfig.RandomSubset.class,
                (config, parent) -> new RandomSubsettingPolicy(this, random, config, parent))
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
