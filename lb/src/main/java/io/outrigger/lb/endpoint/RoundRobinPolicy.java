package io.outrigger.lb.endpoint;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.Picker;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.member.EveryEndpointPolicy;
import io.outrigger.lb.member.LeafEndpoint;

/** Picks each READY endpoint in turn. */
@ControlConfined
final class RoundRobinPolicy extends EveryEndpointPolicy<BalancingPolicy.RoundRobin, LeafEndpoint> {
  private final ControlLoop control;
  private final RandomSource random;
  private final int loops;
  private final LbParent parent;

  RoundRobinPolicy(
      ControlLoop control,
      RandomSource random,
      int loops,
      LbConfig.Leaf<BalancingPolicy.RoundRobin> config,
      LbParent parent) {
    super(control, config, parent);
    this.control = control;
    this.random = random;
    this.loops = loops;
    this.parent = parent;
  }

  @Override
  protected LeafEndpoint newMember(Backend backend) {
    return new LeafEndpoint(control, parent, backend);
  }

  @Override
  protected Picker picker() {
    return new RoundRobinPicker(answers(), loops, random);
  }
}
