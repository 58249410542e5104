package io.outrigger.lb.tree;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PolicyFactory;
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
record PolicyRegistry(LbContext context, CircuitBreakers breakers, LoadRegistry loads)
    implements PolicyFactory {
  @Override
  public LbPolicy create(LbConfig config, LbParent parent) {
    if (config instanceof LbConfig.Priority priority) {
      return new PriorityPolicy(context, this, priority, parent);
    }
    if (config instanceof LbConfig.OutlierDetecting detecting) {
      return new OutlierDetectionPolicy(context, this, detecting, parent);
    }
    if (config instanceof LbConfig.ClusterImpl cluster) {
      return new ClusterImplPolicy(context, this, breakers, loads, cluster, parent);
    }
    if (config instanceof LbConfig.OverrideHost override) {
      return new OverrideHostPolicy(context.control(), this, override, parent);
    }
    if (config instanceof LbConfig.WeightedTarget weighted) {
      return new WeightedTargetPolicy(this, context.random(), weighted, parent);
    }
    if (config instanceof LbConfig.RandomSubset subset) {
      return new RandomSubsettingPolicy(this, context.random(), subset, parent);
    }
    return LeafPolicies.create(context, config, parent);
  }
}
