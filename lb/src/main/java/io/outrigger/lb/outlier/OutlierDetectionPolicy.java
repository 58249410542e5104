package io.outrigger.lb.outlier;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.ChildSlot;
import io.outrigger.lb.LbConfig;
import io.outrigger.lb.LbNode;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PolicyFactory;
import java.util.List;
import java.util.Map;

/** The node of outlier detection; transparent (see the package). */
@ControlConfined
public final class OutlierDetectionPolicy implements LbPolicy {
  private final ChildSlot child;
  private LbConfig.OutlierDetecting config;

  /** The child speaks to {@code parent} directly. */
  public OutlierDetectionPolicy(
      PolicyFactory factory, LbConfig.OutlierDetecting config, LbParent parent) {
    this.child = new ChildSlot(factory, parent);
    this.config = config;
  }

  @Override
  public void update(LbConfig next) {
    config = (LbConfig.OutlierDetecting) next;
    child.update(config.child());
  }

  @Override
  public void close() {
    child.close();
  }

  @Override
  public LbNode describe(String name) {
    return LbNode.inner(name, config, child.state(), Map.of(), "", List.of(child.describe(name)));
  }
}
