package io.outrigger.lb;

import io.outrigger.base.ControlConfined;

/** A node of the load-balancing tree. */
@ControlConfined
public interface LbPolicy {
  /**
   * Applies {@code config}, which is of the kind this policy was made for. When this returns the
   * policy has published a picker to its parent.
   */
  void update(LbConfig config);

  /** Leaves IDLE: begins to connect, if the policy waits for a reason to. */
  void exitIdle();

  /** Releases everything below. Nothing is published afterwards; harmless a second time. */
  void close();
}
