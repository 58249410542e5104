package io.outrigger.lb.endpoint;

import io.outrigger.base.ControlConfined;
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
 * The policy of {@link LbConfig.Failing}: its state is TRANSIENT_FAILURE, and every call fails with
 * the configured reason.
 */
@ControlConfined
final class FailingPolicy implements LbPolicy {
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
            config.status().message(),
            isUsed));
    visitor.leave();
  }
}
