package io.outrigger.lb.override;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.ChildSlot;
import io.outrigger.lb.LbConfig;
import io.outrigger.lb.LbEndpoint;
import io.outrigger.lb.LbNode;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PolicyFactory;
import java.util.List;
import java.util.Map;

/** The node of session affinity; transparent (see the package). */
@ControlConfined
public final class OverrideHostPolicy implements LbPolicy {
  private final ChildSlot child;
  private LbConfig.OverrideHost config;

  /** The child speaks to {@code parent} directly. */
  public OverrideHostPolicy(PolicyFactory factory, LbConfig.OverrideHost config, LbParent parent) {
    this.child = new ChildSlot(factory, parent);
    this.config = config;
  }

  @Override
  public void update(LbConfig next) {
    config = (LbConfig.OverrideHost) next;
    child.update(config.child());
  }

  @Override
  public void close() {
    child.close();
  }

  @Override
  public LbNode describe(String name) {
    List<LbEndpoint> setAside = config.setAside().stream().map(LbEndpoint::untouched).toList();
    return new LbNode(
        name,
        config.policy(),
        child.state(),
        Map.of(),
        setAside.isEmpty() ? "" : setAside.size() + " endpoints are left out for their health",
        List.of(child.describe(name)),
        setAside);
  }
}
