package io.outrigger.lb.endpoint;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.lb.LbConfig;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PolicyFactory;

/** Makes the leaves: the policies that own endpoints, and those that stand for their absence. */
@ControlConfined
public final class LeafPolicies implements PolicyFactory {
  private final ControlLoop control;
  private final RandomSource random;
  private final int loops;

  /** Leaves whose calls come from {@code loops} event loops. */
  public LeafPolicies(ControlLoop control, RandomSource random, int loops) {
    this.control = control;
    this.random = random;
    this.loops = loops;
  }

  @Override
  public LbPolicy create(LbConfig config, LbParent parent) {
    if (config instanceof LbConfig.RoundRobin roundRobin) {
      return new RoundRobinPolicy(control, random, loops, roundRobin, parent);
    }
    if (config instanceof LbConfig.PickFirst pickFirst) {
      return new PickFirstPolicy(control, random, pickFirst, parent);
    }
    if (config instanceof LbConfig.Failing || config instanceof LbConfig.Refusing) {
      return new FailingPolicy(parent, config);
    }
    throw new AssertionError("not a leaf: " + config);
  }
}
