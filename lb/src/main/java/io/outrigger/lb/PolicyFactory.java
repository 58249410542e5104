package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.config.LbConfig;

/** Creates the policy for a configuration; parents use the factory to create their children. */
@ControlConfined
@FunctionalInterface
public interface PolicyFactory {
  /**
   * Creates a policy for configurations whose {@link LbConfig#kind} is that of {@code config}. The
   * policy is inactive until its first update.
   */
  LbPolicy create(LbConfig config, LbParent parent);
}
