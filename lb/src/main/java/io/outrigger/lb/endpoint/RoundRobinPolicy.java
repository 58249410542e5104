package io.outrigger.lb.endpoint;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.member.EveryEndpointPolicy;
import io.outrigger.lb.member.LeafEndpoint;
import java.util.List;

/** Picks each READY endpoint in turn. */
@ControlConfined
final class RoundRobinPolicy extends EveryEndpointPolicy<BalancingPolicy.RoundRobin, LeafEndpoint> {
  RoundRobinPolicy(
      LbContext context, LbConfig.Leaf<BalancingPolicy.RoundRobin> config, LbParent parent) {
    super(context, config, parent);
  }

  @Override
  protected LeafEndpoint newMember(Backend backend) {
    return new LeafEndpoint(context().control(), parent(), backend);
  }

  @Override
  protected Picker picker(List<LeafEndpoint> ready, PickResult[] results) {
    return new RoundRobinPicker(results, context().loops(), context().random());
  }
}
