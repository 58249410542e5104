package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.view.NodeVisitor;

/** A node of the load-balancing tree. */
@ControlConfined
public interface LbPolicy {
  /**
   * Applies a configuration. All configurations of a policy have the same {@link LbConfig#kind}.
   * Before {@code update} returns, the policy publishes a state and a picker for the configuration.
   */
  void update(LbConfig config);

  /**
   * Closes the policy and everything beneath it. A closed policy publishes nothing; closing it
   * again has no effect.
   */
  void close();

  /**
   * Shows a visitor the current state of this node and of all nodes beneath it.
   *
   * @param name the name by which the parent knows this node
   * @param isUsed whether the parent sends calls to this node now
   */
  void accept(NodeVisitor visitor, String name, boolean isUsed);
}
