package io.outrigger.lb.endpoint;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PolicyRegistry;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.endpoint.ring.RingHashPolicy;
import io.outrigger.lb.endpoint.weighted.WeightedRoundRobinPolicy;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.NodeVisitor;
import java.util.Map;

/**
 * Registers the leaf policies: the policies that pick endpoints, and the policy that fails calls
 * because there is no endpoint.
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

  /** Fails every call with the configured reason; the state is TRANSIENT_FAILURE. */
  @ControlConfined
  private static final class FailingPolicy implements LbPolicy {
    private final LbParent parent;
    private LbConfig.Failing config;

    FailingPolicy(LbParent parent, LbConfig.Failing config) {
      this.parent = parent;
      this.config = config;
    }

    @Override
    public void update(LbConfig next) {
      config = (LbConfig.Failing) next;
      PickResult result =
          config.refuses()
              ? new PickResult.Drop(config.status(), PickResult.Reason.NO_CLUSTER)
              : new PickResult.Fail(config.status());
      parent.publish(Connectivity.TRANSIENT_FAILURE, new Picker.Fixed(result));
    }

    @Override
    public void close() {
      // There is nothing to close.
    }

    @Override
    public void accept(NodeVisitor visitor, String name, boolean isUsed) {
      visitor.enter(
          new LbNode(
              name,
              config.policy(),
              Connectivity.TRANSIENT_FAILURE,
              Map.of(),
              config.status().message(),
              isUsed));
      visitor.leave();
    }
  }
}
