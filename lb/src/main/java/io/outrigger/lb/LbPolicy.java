package io.outrigger.lb;

import io.outrigger.base.ControlConfined;

/** A node of the load-balancing tree. */
@ControlConfined
public interface LbPolicy {
  /**
   * Applies {@code config}, whose {@link LbConfig#identity} is that of the first one. When this
   * returns, what the policy has published to its parent is right for {@code config}.
   */
  void update(LbConfig config);

  /** Releases everything below. Nothing is published afterwards; harmless a second time. */
  void close();

  /** How the node and everything beneath stands now, under the name that its parent knows. */
  LbNode describe(String name);
}
