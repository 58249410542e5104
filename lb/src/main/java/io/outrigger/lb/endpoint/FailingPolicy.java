package io.outrigger.lb.endpoint;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.lb.FixedPicker;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.NodeHead;
import io.outrigger.lb.view.NodeVisitor;
import java.util.Map;

/**
 * The policy of a cluster or priority without usable endpoints, {@link LbConfig.Failing} or {@link
 * LbConfig.Refusing}: its state is TRANSIENT_FAILURE, and every call fails with the configured
 * reason.
 */
@ControlConfined
final class FailingPolicy implements LbPolicy {
  private final LbParent parent;
  private LbConfig config;

  FailingPolicy(LbParent parent, LbConfig config) {
    this.parent = parent;
    this.config = config;
  }

  @Override
  public void update(LbConfig next) {
    config = next;
    PickResult result =
        next instanceof LbConfig.Refusing refusing
            ? new PickResult.Drop(refusing.status(), PickResult.Reason.NO_CLUSTER)
            : new PickResult.Fail(status());
    parent.publish(Connectivity.TRANSIENT_FAILURE, new FixedPicker(result));
  }

  @Override
  public void close() {
    // There is nothing to close.
  }

  @Override
  public void accept(NodeVisitor visitor, String name, boolean isUsed) {
    visitor.enter(
        new NodeHead(
            name,
            config.policy(),
            Connectivity.TRANSIENT_FAILURE,
            Map.of(),
            status().message(),
            isUsed));
    visitor.leave();
  }

  private RpcStatus status() {
    return config instanceof LbConfig.Refusing refusing
        ? refusing.status()
        : ((LbConfig.Failing) config).status();
  }
}
