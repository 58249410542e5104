package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.config.LbConfig;

/** Makes the policy that a configuration asks for; how policies get their children. */
@ControlConfined
@FunctionalInterface
public interface PolicyFactory {
  /** A policy for configurations of {@code config}'s identity; it waits for its first update. */
  LbPolicy create(LbConfig config, LbParent parent);
}
