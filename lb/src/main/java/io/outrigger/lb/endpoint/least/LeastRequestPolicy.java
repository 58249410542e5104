package io.outrigger.lb.endpoint.least;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.ComposedParent;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.member.EveryEndpointPolicy;
import io.outrigger.lb.member.LeafEndpoint;
import java.util.List;
import java.util.Map;

/** For each call, draws a few READY endpoints at random and picks the least busy of them (A48). */
@ControlConfined
public final class LeastRequestPolicy
    extends EveryEndpointPolicy<BalancingPolicy.LeastRequest, LeastRequestPolicy.Counted> {
  public LeastRequestPolicy(
      LbContext context, LbConfig.Leaf<BalancingPolicy.LeastRequest> config, LbParent parent) {
    super(context, config, parent);
  }

  static final class Counted extends LeafEndpoint {
    private final ActiveRequests active;

    private Counted(ControlLoop control, LbParent parent, Backend backend, ActiveRequests active) {
      super(control, ComposedParent.wrapping(parent, active::counting), backend);
      this.active = active;
    }
  }

  @Override
  protected Counted newMember(Backend backend) {
    return new Counted(context().control(), parent(), backend, new ActiveRequests());
  }

  @Override
  protected Picker picker(List<Counted> ready, PickResult[] results) {
    return new LeastRequestPicker(
        results,
        ready.stream().map(member -> member.active).toArray(ActiveRequests[]::new),
        settings().choices(),
        context().random());
  }

  @Override
  protected Map<String, Object> shownSettings() {
    return Map.of("choice_count", settings().choices());
  }
}
