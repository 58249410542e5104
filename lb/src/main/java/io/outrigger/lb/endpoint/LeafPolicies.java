package io.outrigger.lb.endpoint;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.endpoint.ring.RingHashPolicy;
import io.outrigger.lb.endpoint.weighted.WeightedRoundRobinPolicy;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.NodeVisitor;
import java.util.Map;

/**
 * Creates the leaf policies: the policies that pick endpoints, and the policy that fails calls
 * because there is no endpoint.
 */
public final class LeafPolicies {
  private LeafPolicies() {}

  public static LbPolicy create(LbContext context, LbConfig config, LbParent parent) {
    if (config instanceof LbConfig.Failing failing) {
      return new FailingPolicy(parent, failing);
    }
    var leaf = (LbConfig.Leaf) config;
    if (leaf.settings() instanceof BalancingPolicy.RoundRobin) {
      return new RoundRobinPolicy(context, leaf, parent);
    }
    if (leaf.settings() instanceof BalancingPolicy.PickFirst) {
      return new PickFirstPolicy(context, leaf, parent);
    }
    if (leaf.settings() instanceof BalancingPolicy.RingHash) {
      return new RingHashPolicy(context, leaf, parent);
    }
    if (leaf.settings() instanceof BalancingPolicy.LeastRequest) {
      return new LeastRequestPolicy(context, leaf, parent);
    }
    if (leaf.settings() instanceof BalancingPolicy.WeightedRoundRobin) {
      return new WeightedRoundRobinPolicy(context, leaf, parent);
    }
    throw new AssertionError(leaf.settings());
  }

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
      RpcStatus status = config.status().forDataPlane();
      PickResult result =
          config.status().isAbsence()
              ? new PickResult.Drop(status, PickResult.Reason.NO_CLUSTER)
              : new PickResult.Fail(status, config.isOfConfig());
      parent.publish(Connectivity.TRANSIENT_FAILURE, new Picker.Fixed(result));
    }

    @Override
    public void close() {
      // Nothing to close.
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
